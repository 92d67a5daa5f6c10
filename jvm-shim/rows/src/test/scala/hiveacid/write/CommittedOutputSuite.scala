package hiveacid.write

import hiveacid.AcidOrcSuite
import hiveacid.write.SpecChanges.output
import hiveacid.wire.{OutputJob, WriteResult}
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.functions.{col, udf}

/** Files that a committer of Hadoop's keeps back until the driver has them put in place: by the manifest committer,
  * which works on local files too.
  */
class CommittedOutputSuite extends AcidOrcSuite {
  override protected def master: String = "local[2,3]" // a task may fail twice
  override protected def settings: Map[String, String] = Map(
    "spark.hadoop.mapreduce.outputcommitter.factory.scheme.file" ->
      "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory"
  )

  private val Id = "hive-acid-7-0a1b2c3d"

  private def rows(tasks: Int) = spark.range(0, 100, 1, tasks).selectExpr("id", "concat('row ', id) as s")
  private def table() = new Table("id bigint, s string", "struct<id:bigint,s:string>")

  private def begin(t: Table, id: String = Id): OutputJob = {
    new OutputCommits(id, t.conf).setUp(t.root.toString)
    OutputJob(id, t.root.toString, Map.empty)
  }

  private def names(t: Table, path: String = ""): Seq[String] = {
    val folder = if (path.isEmpty) t.root else new Path(t.root, path)
    folder.getFileSystem(t.conf).listStatus(folder).map(_.getPath.getName).sorted.toSeq
  }

  private def attempts(report: WriteResult): Seq[String] = report.folders.flatMap(_.attempts).distinct

  private def commit(t: Table, report: WriteResult, id: String = Id): Unit = {
    val commits = new OutputCommits(id, t.conf)
    commits.commitTasks(t.root.toString, attempts(report))
    commits.commit(t.root.toString)
  }

  test("files are seen once the driver has committed the attempts that it was told of, and with the reported lengths") {
    val t = table()
    val report = t.insert(rows(2), output(begin(t)))
    assertEquals(names(t), Seq("_temporary"))
    assertEquals(attempts(report).length, 2)
    commit(t, report)
    assertEquals(names(t), Seq("delta_0000001_0000001_0000"))
    val folder = report.folders.head
    val lengths = t.bucketFiles(folder.name).map(f => f.getPath.getName -> f.getLen).toMap
    assertEquals(folder.files.zip(folder.sizes).toMap, lengths)
    sameRows(t.read(), rows(1))
  }

  test("an attempt that fails removes what it wrote, and the one that is tried again counts") {
    val t = table()
    val first = udf((id: Long) =>
      if (id == 99 && org.apache.spark.TaskContext.get().attemptNumber() == 0) sys.error("on purpose") else id
    )
    val report = t.insert(rows(2).withColumn("id", first(col("id"))), output(begin(t)))
    assertEquals(new OutputCommits(Id, t.conf).attempts(t.root.toString), attempts(report).sorted)
    commit(t, report)
    sameRows(t.read(), rows(1))
  }

  test("attempts that are not chosen add nothing, also when they are aborted late") {
    val t = table()
    val report = t.insert(rows(2), output(begin(t)))
    val commits = new OutputCommits(Id, t.conf)
    val zombie = OutputCommits.taskAttempt(Id, 0, 4711)
    val committer = commits.committer(t.root.toString, zombie)
    committer.setupTask(commits.context(zombie))
    val late = new Path(committer.getWorkPath, "delta_0000001_0000001_0000/bucket_00007")
    late.getFileSystem(t.conf).create(late).close()
    assertEquals(commits.attempts(t.root.toString).toSet, attempts(report).toSet + zombie.toString)
    commits.abortTasks(t.root.toString, Seq(zombie.toString))
    commit(t, report)
    assertEquals(names(t, "delta_0000001_0000001_0000"), Seq("bucket_00000", "bucket_00001"))
    late.getFileSystem(t.conf).create(late).close()
    assertEquals(names(t, "delta_0000001_0000001_0000"), Seq("bucket_00000", "bucket_00001"))
  }

  test("the end of one job leaves another in the same table alone") {
    val t = table()
    val other = "hive-acid-8-0a1b2c3d"
    val first = t.insert(rows(2), output(begin(t)))
    val second = t.insert(rows(2), output(begin(t, other)))
    commit(t, first)
    commit(t, second, other)
    assertEquals(names(t), Seq("delta_0000001_0000001_0000", "delta_0000002_0000002_0000"))
    assertEquals(t.read().count(), 200L)
  }

  test("a job that is given up leaves nothing") {
    val t = table()
    t.insert(rows(2), output(begin(t)))
    val commits = new OutputCommits(Id, t.conf)
    commits.abort(t.root.toString)
    assertEquals(names(t), Nil)
    commits.abort(t.root.toString)
    assertEquals(names(t), Nil)
  }

  test("a base without rows is the driver's own, beside those of tasks") {
    val t = table()
    val job = output(begin(t))
    val report = WriteJob.runEmpty(spark, Seq(""), t.spec(hiveacid.values.InsertKind, job, SpecChanges.overwrites))
    commit(t, report)
    assertEquals(names(t, "base_0000001"), Seq("bucket_00000"))
  }

  test("storage whose committer puts files in place at once is refused") {
    val t = table()
    t.conf.unset("mapreduce.outputcommitter.factory.scheme.file")
    val error = acidError(new OutputCommits(Id, t.conf).setUp(t.root.toString))
    assertEquals(error.condition, "HIVE_ACID_CONFIGURATION.NO_COMMITTER")
    assert(error.getMessage.contains("FileOutputCommitter"), error.getMessage)
  }
}
