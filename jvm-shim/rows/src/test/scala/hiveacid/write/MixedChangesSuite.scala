package hiveacid.write

import hiveacid.AcidOrcSuite
import hiveacid.values.MixedKind
import hiveacid.wire.WriteResult
import hiveacid.write.SpecChanges.{cores, maxBuckets, partitionedBy, statementId}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.hiveacid.SparkLineJobs
import org.apache.spark.sql.internal.SQLConf

/** Deletes, new versions and new rows by one write. */
class MixedChangesSuite extends AcidOrcSuite {
  private def rows(n: Long, tasks: Int): DataFrame =
    spark.range(0, n, 1, tasks).selectExpr("id", "cast(id as string) as s")

  private def table() = new Table("id bigint, s string", "struct<id:bigint,s:string>")

  /** Each row that has an ID with its `change` (0 to 6), and new rows from `first` on. */
  private def changes(t: Table, change: String, first: Long, news: Long): DataFrame = {
    val old =
      t.read().selectExpr(s"cast($change as tinyint) as __change", "ROW__ID as __row_id", "id", "upper(s) || '!' as s")
    val fresh = spark
      .range(first, first + news, 1, 3)
      .selectExpr(
        "cast(0 as tinyint)",
        "cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>)",
        "id",
        "cast(id as string)"
      )
    old.unionAll(fresh)
  }

  private def folders(report: WriteResult) = report.folders.map(f => f.name -> f.files)

  private def counts(report: WriteResult) = Seq(report.counts.inserted, report.counts.updated, report.counts.deleted)

  private def add(t: Table, report: WriteResult): Unit = {
    val (deletes, inserts) = folders(report).map(_._1).partition(_.startsWith("delete_"))
    t.deleteFolders ++= deletes
    t.dataFolders ++= inserts
  }

  test("each kind of change has a statement ID of its own, and every row one writer") {
    val t = table()
    t.insert(rows(3000, 3))
    // a third each: updated, deleted, matched without a clause
    val report = t.run(changes(t, "1 + id % 3", 3000, 500), MixedKind)
    val buckets = Seq("bucket_00000", "bucket_00001", "bucket_00002")
    val Seq(deletes, (versions, Seq(_)), inserts) = folders(report)
    assertEquals(deletes, "delete_delta_0000002_0000002_0000" -> buckets)
    assertEquals(versions, "delta_0000002_0000002_0001")
    assertEquals(inserts, "delta_0000002_0000002_0002" -> Seq("bucket_00000"))
    assertEquals(counts(report), Seq(500L, 1000L, 1000L))
    add(t, report)
    val expected = spark
      .range(3500)
      .where("id >= 3000 or id % 3 <> 1")
      .selectExpr("id", "if(id < 3000 and id % 3 = 0, id || '!', cast(id as string)) as s")
    sameRows(t.read(), expected)
    assertEquals(t.read().select("ROW__ID").distinct().count(), t.read().count())
  }

  test("a row that is changed twice is Spark's cardinality violation, also by one that nothing is done to") {
    for (second <- Seq(1, 2, 3)) {
      val t = table()
      t.insert(rows(10, 1))
      val once = changes(t, "if(id = 4, 1, 3)", 100, 1)
      val twice = once.unionAll(changes(t, s"$second", 100, 0).where("id = 4"))
      val error = intercept[Exception](t.run(twice, MixedKind))
      val conditions = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).collect {
        case e: SparkThrowable => SparkLineJobs.condition(e)
      }
      assert(conditions.contains("MERGE_CARDINALITY_VIOLATION"), error)
      sameRows(t.read(), rows(10, 1))
    }
  }

  test("a row that any number of source rows delete is deleted and counted once") {
    val t = table()
    t.insert(rows(10, 1))
    val thrice = changes(t, "6", 100, 0).where("id < 5")
    val report = t.run(thrice.unionAll(thrice).unionAll(thrice), MixedKind)
    assertEquals(counts(report), Seq(0L, 0L, 5L))
    assertEquals(folders(report).map(_._1), Seq("delete_delta_0000002_0000002_0000"))
    add(t, report)
    sameRows(t.read(), rows(10, 1).where("id >= 5"))
  }

  test("a row that moves is deleted in its partition, written in the other, and counted as updated") {
    val t = table()
    t.insert(rows(100, 1))
    val halves = Seq(4 -> "'a' as __from_k", 5 -> "'a' as __from_k").map { case (part, from) =>
      t.read()
        .where("id < 10")
        .selectExpr(
          s"cast($part as tinyint) as __change",
          if (part == 5) "cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>) as __row_id"
          else "ROW__ID as __row_id",
          from,
          "id",
          "s",
          "'b' as k"
        )
    }
    val report = t.run(
      halves.reduce(_ unionAll _),
      MixedKind,
      partitionedBy("k")
    )
    assertEquals(
      report.folders.map(f => (f.partition, f.name, f.rows)),
      Seq(("k=a", "delete_delta_0000002_0000002_0000", 10L), ("k=b", "delta_0000002_0000002_0002", 10L))
    )
    assertEquals(counts(report), Seq(0L, 10L, 0L))
  }

  test("new rows of many tasks, split pieces and few buckets never share a file") {
    for ((buckets, firstStatement) <- Seq(1 -> 0, 2 -> 5, 4096 -> 1)) {
      val t = table()
      t.insert(rows(2000, 2))
      val conf = spark.sessionState.conf
      val advisory = SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES.key
      conf.setConfString(advisory, "8k")
      try {
        val report =
          t.run(
            changes(t, "1", 10000, 3000),
            MixedKind,
            maxBuckets(buckets),
            statementId(firstStatement),
            cores(4)
          )
        assertEquals(counts(report), Seq(3000L, 2000L, 0L))
        assert(folders(report).map(_._2.length).sum > 4, folders(report))
        add(t, report)
      } finally conf.unsetConf(advisory)
      assertEquals(t.read().count(), 5000L)
      assertEquals(t.read().select("ROW__ID").distinct().count(), 5000L)
      sameRows(t.read().select("id"), spark.range(2000).unionAll(spark.range(10000, 13000)).toDF())
    }
  }

  test("a change that does not fit the row's ID fails the write") {
    val t = table()
    t.insert(rows(10, 1))
    val noId = "cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>) as __row_id"
    for ((change, id) <- Seq(0 -> "ROW__ID as __row_id", 5 -> "ROW__ID as __row_id", 1 -> noId, 2 -> noId, 7 -> noId)) {
      val wrong = t.read().selectExpr(s"cast($change as tinyint) as __change", id, "id", "s")
      assertEquals(acidError(t.run(wrong, MixedKind)).condition, "HIVE_ACID_INTERNAL")
    }
    sameRows(t.read(), rows(10, 1))
  }

  test("there may be nothing to do") {
    val t = table()
    t.insert(rows(10, 1))
    val report = t.run(changes(t, "3", 0, 0), MixedKind)
    assertEquals((folders(report), counts(report)), (Nil, Seq(0L, 0L, 0L)))
  }
}
