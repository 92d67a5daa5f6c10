package hiveacid.compact

import hiveacid.AcidOrcSuite
import hiveacid.wire.{CompactedFile, CompactionSpec, DeleteFolder, Evolution, FoldedFile, OutputJob, PartitionDeletes}
import hiveacid.write.SpecChanges.{statementId, writeId}
import hiveacid.write.WriteJob
import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.util.SerializableConfiguration

/** Folded files hold the same rows under the same IDs, in order, however many they were. */
class CompactionSuite extends AcidOrcSuite {
  private val ids = Seq("ROW__ID", "id", "s")

  /** Folds files of a table into a folder `folded`, one file for bucket 0, without the rows that `events` name. */
  private def fold(
      table: Table,
      groups: Seq[Seq[Seq[FoldedFile]]],
      openRuns: Int = FoldedGroups.OpenRuns,
      holdsDeletes: Boolean = false,
      buckets: Int = 0,
      events: Seq[String] = Nil
  ): Unit = {
    val folders = events.map { folder =>
      val (path, files) = (new Path(table.root, folder).toString, table.listed(folder))
      DeleteFolder(path, Long.MinValue, Long.MaxValue, anyBucket = true, check = false, files)
    }
    val file = CompactedFile("folded", 0, holdsDeletes, buckets, groups)
    val message = CompactionSpec(
      table = "db.t",
      staging = table.root.toString,
      rowType = table.rowType,
      compression = "ZLIB",
      layout = "acid_orc",
      fileName = "bucket_%05d",
      options = Map.empty,
      evolution = Evolution(byPosition = false, asHive3 = false),
      writeIds = "",
      deletes = PartitionDeletes(folders, "stamp"),
      files = Seq(file),
      columns = Nil,
      output = OutputJob("", "", Map.empty)
    )
    val spec = CheckedCompaction.of(message)
    val (schema, conf) = (table.schema, new SerializableConfiguration(table.conf))
    val task = (context: TaskContext, _: Iterator[Int]) =>
      new CompactionTask(spec, file, schema, conf.value, context, openRuns).run()
    val made = spark.sparkContext.runJob(spark.sparkContext.parallelize(Seq(0), 1), task)
    WriteJob.publish(made.toSeq.flatten, table.root, table.conf)
  }

  private def folded(table: Table, folder: String): Seq[FoldedFile] = table.bucketFiles(folder).map { status =>
    FoldedFile(status.getPath.toString, status.getLen, 0, Long.MaxValue, false, false, anyBucket = true, None)
  }

  private def runs(table: Table, folders: Seq[String]): Seq[Seq[FoldedFile]] =
    folders.flatMap(folded(table, _)).map(Seq(_))

  /** A table with an insert of 3,000 rows under each of so many statement IDs of one write ID. */
  private def statements(count: Int): Table = {
    val table = new Table("id BIGINT, s STRING", "struct<id:bigint,s:string>")
    (0 until count).foreach { i =>
      val rows = spark.range(i * 3000L, (i + 1) * 3000L, 1, 1).selectExpr("id", "concat('s', id) AS s")
      table.insert(rows, writeId(1), statementId(i))
    }
    table
  }

  private def result(table: Table): DataFrame = {
    table.dataFolders = Seq("folded")
    table.deleteFolders = Nil
    table.read().select(ids.head, ids.tail: _*)
  }

  private def inOrder(rows: DataFrame): Seq[(Long, Int, Long)] =
    rows.select("ROW__ID.writeid", "ROW__ID.bucketid", "ROW__ID.rowid").collect().toSeq.map {
      case Row(w: Long, b: Int, r: Long) => (w, b, r)
    }

  test("runs that are given in any order come out in the order of their IDs") {
    val table = statements(3)
    val before = table.read().select(ids.head, ids.tail: _*).collect().toSeq
    fold(table, Seq(runs(table, table.dataFolders.reverse)))
    val after = result(table)
    assert(after.collect().toSet == before.toSet)
    assert(inOrder(after) == inOrder(after).sorted)
  }

  test("more runs than may be open are folded in several steps") {
    val table = statements(7)
    val before = table.read().select(ids.head, ids.tail: _*).collect().toSet
    fold(table, Seq(runs(table, table.dataFolders)), openRuns = 2)
    val after = result(table)
    assert(after.collect().toSet == before)
    assert(inOrder(after) == inOrder(after).sorted)
    assert(table.root.getFileSystem(table.conf).listStatus(table.root).forall(!_.getPath.getName.startsWith("attempt")))
  }

  test("the same row ID twice in a row of files is an error") {
    val table = statements(1)
    val twice = runs(table, table.dataFolders ++ table.dataFolders).flatten
    val error = acidError(fold(table, Seq(Seq(twice))))
    assert(error.condition == "HIVE_ACID_UNSUPPORTED_LAYOUT.ROWS_OUT_OF_ORDER")
    assert(error.getMessage.contains("not in the order of their IDs"))
  }

  test("of the events about a row the latest is kept") {
    val table = statements(1)
    table.deleteRows(table.read().where("id % 2 = 0").select("ROW__ID"), writeId(2))
    table.deleteRows(table.read().where("id % 3 = 0").select("ROW__ID"), writeId(3))
    table.deleteFolders = Seq("delete_delta_0000002_0000002_0000", "delete_delta_0000003_0000003_0000")
    val folders = table.deleteFolders
    assert(folders.flatMap(table.bucketFiles).length == 2)
    fold(table, Seq(runs(table, folders)), holdsDeletes = true)
    table.deleteFolders = Seq("folded")
    assert(table.read().where("id % 2 = 0 OR id % 3 = 0").count() == 0)
    assert(table.read().count() == 1000)
  }

  test("an event of another bucket is refused in a file of deletes that is read for every bucket") {
    val table = new Table("id BIGINT, s STRING", "struct<id:bigint,s:string>")
    table.insert(spark.range(0, 20, 1, 2).selectExpr("id", "'x' AS s"))
    table.deleteRows(table.read().where("ROW__ID.bucketid = 536936448 AND id % 2 = 0").select("ROW__ID"), writeId(2))
    val folder = "delete_delta_0000002_0000002_0000"
    val moved = table.path(folder, "bucket_00000")
    assert(table.root.getFileSystem(table.conf).rename(table.path(folder, "bucket_00001"), moved))
    val events = runs(table, Seq(folder)).map(_.map(_.copy(anyBucket = false)))
    val error = acidError(fold(table, Seq(events), holdsDeletes = true))
    assert(error.condition == "HIVE_ACID_CORRUPT_FILE.OTHER_BUCKET")
  }

  test("a rebalance numbers the rows anew and gives each file as many") {
    val table = statements(2)
    fold(table, Seq(runs(table, table.dataFolders)), buckets = 4)
    assert(table.bucketFiles("folded").length == 4)
    val after = result(table)
    assert(after.where("ROW__ID.rowid = id").count() == 6000)
    assert(after.groupBy("ROW__ID.bucketid").count().select("count").distinct().collect().toSeq == Seq(Row(1500L)))
  }

  test("values of every type stay what they are, also beside columns that a file lacks") {
    val table = new Table(
      "id BIGINT, d DECIMAL(10,2), e DECIMAL(30,5), t TIMESTAMP, dt DATE, f FLOAT, a ARRAY<STRUCT<x: INT, y: STRING>>, " +
        "m MAP<STRING, DECIMAL(5,1)>, s STRING",
      "struct<id:bigint,d:decimal(10,2),e:decimal(30,5),t:timestamp,dt:date,f:float,a:array<struct<x:int,y:string>>," +
        "m:map<string,decimal(5,1)>,s:string>"
    )
    val rows = spark
      .range(0, 2500, 1, 1)
      .selectExpr(
        "id",
        "IF(id % 7 = 0, NULL, CAST(id / 4 AS DECIMAL(10,2))) AS d",
        "CAST(id AS DECIMAL(30,5)) * 100000000000 AS e",
        "timestamp_micros(id * 86400000001 - 90000000000000) AS t",
        "date_add(DATE'1500-01-01', CAST(id * 100 AS INT)) AS dt",
        "CAST(id / 3 AS FLOAT) AS f",
        "IF(id % 5 = 0, NULL, transform(sequence(1, CAST(id % 4 + 1 AS INT)), x -> named_struct('x', x, 'y', concat('y', x)))) AS a",
        "map('k', CAST(id % 100 AS DECIMAL(5,1)), 'l', NULL) AS m",
        "concat('s', id) AS s"
      )
      .selectExpr("id", "d", "CAST(e AS DECIMAL(30,5)) AS e", "t", "dt", "f", "a", "m", "s")
    table.insert(rows)
    table.insert(rows)
    table.delete("id % 3 = 0")
    val before = table.read().selectExpr("ROW__ID", "*")
    val expected = before.collect().map(_.toString).toSet
    val events = table.deleteFolders
    val selected = table.dataFolders.flatMap(folded(table, _)).map(_.copy(hasDeletes = true))
    fold(table, selected.map(file => Seq(Seq(file))), events = events)
    table.dataFolders = Seq("folded")
    table.deleteFolders = Nil
    assert(table.read().selectExpr("ROW__ID", "*").collect().map(_.toString).toSet == expected)
  }

  test("columns that a file lacks are NULL beside those of others, and narrower numbers are widened") {
    val old = new Table("id INT, s STRING", "struct<id:int,s:string>")
    old.insert(spark.range(0, 10, 1, 1).selectExpr("CAST(id AS INT) AS id", "concat('s', id) AS s"))
    val table = new Table(
      "id BIGINT, s STRING, d DECIMAL(9,1), x STRUCT<a: INT>",
      "struct<id:bigint,s:string,d:decimal(9,1),x:struct<a:int>>"
    )
    val rows = spark
      .range(10, 20, 1, 1)
      .selectExpr("id", "'n' AS s", "CAST(id AS DECIMAL(9,1)) AS d", "named_struct('a', 1) AS x")
    table.insert(rows, writeId(2))
    fold(table, Seq(runs(old, old.dataFolders), runs(table, table.dataFolders)))
    table.dataFolders = Seq("folded")
    assert(table.read().where("id < 10 AND s = concat('s', id) AND d IS NULL AND x IS NULL").count() == 10)
    assert(table.read().where("id >= 10 AND d = id AND x.a = 1").count() == 10)
  }
}
