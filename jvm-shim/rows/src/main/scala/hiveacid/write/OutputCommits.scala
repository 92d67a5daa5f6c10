package hiveacid.write

import java.io.{FileNotFoundException, IOException}

import hiveacid.errors.AcidException
import hiveacid.formats.{Children, SideBySide}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.JobConf
import org.apache.hadoop.mapreduce.{JobContext, JobID, TaskAttemptContext, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.lib.output.{PathOutputCommitter, PathOutputCommitterFactory}
import org.apache.hadoop.mapreduce.task.{JobContextImpl, TaskAttemptContextImpl}

/** A job of Hadoop's committers, by which files become visible at their final names, only when the driver says so, and
  * complete. The caller says which attempts count. A root is a folder below which files are put in place.
  *
  * @param id
  *   of the job, without underscores
  */
final class OutputCommits(id: String, conf: Configuration) {
  import OutputCommits._

  private val own = configured(id, conf)
  private val job: JobContext = new JobContextImpl(own, jobId(id))

  def context(attempt: TaskAttemptID): TaskAttemptContext = new TaskAttemptContextImpl(own, attempt)

  /** The committer of an attempt.
    *
    * @throws hiveacid.errors.AcidException
    *   HIVE_ACID_CONFIGURATION if there is none that keeps files back, or one that all writers of a table share
    */
  def committer(root: String, attempt: TaskAttemptID): PathOutputCommitter = {
    val path = new Path(root)
    val scheme = path.toUri.getScheme
    def missing(found: String) =
      AcidException("HIVE_ACID_CONFIGURATION.NO_COMMITTER", Map("scheme" -> String.valueOf(scheme), "found" -> found))
    val made =
      try PathOutputCommitterFactory.createCommitter(path, context(attempt))
      catch { case e: RuntimeException => throw missing(String.valueOf(e.getMessage)) }
    val name = made.getClass.getName
    if (!Delaying(name)) throw missing(name)
    if (made.getWorkPath.toString.contains(SharedFolder))
      throw AcidException("HIVE_ACID_CONFIGURATION.COMMITTER_SHARES_FOLDER", Map("scheme" -> scheme))
    if (scheme == "s3a" && path.getFileSystem(own).getConf.getBoolean(InMemory, false))
      throw AcidException("HIVE_ACID_CONFIGURATION.COMMITTER_IN_MEMORY", Map("setting" -> InMemory))
    made
  }

  /** Before a task writes below the root. */
  def setUp(root: String): Unit = committer(root, driverAttempt(id)).setupJob(job)

  /** The attempts that have begun to write below the root, and have not been aborted. */
  def attempts(root: String): Seq[String] = {
    val tasks = tasksFolder(root)
    val found =
      try Children.of(tasks.getFileSystem(own), tasks).toSeq
      catch { case _: FileNotFoundException => Nil }
    found.map(_.getPath.getName).filter(_.startsWith("attempt_")).sorted
  }

  /** Removes what these attempts have written below the root. */
  def abortTasks(root: String, attempts: Seq[String]): Unit = each(root, attempts)(_.abortTask(_))

  /** Chooses these attempts; what they wrote is still not visible. */
  def commitTasks(root: String, attempts: Seq[String]): Unit = each(root, attempts)(_.commitTask(_))

  /** Makes what the chosen attempts wrote visible, file by file. */
  def commit(root: String): Unit = {
    committer(root, driverAttempt(id)).commitJob(job)
    clear(root)
  }

  /** Removes what was not made visible. */
  def abort(root: String): Unit = {
    abortTasks(root, attempts(root))
    committer(root, driverAttempt(id)).abortJob(job, org.apache.hadoop.mapreduce.JobStatus.State.FAILED)
    clear(root)
  }

  /** Removes what a committer leaves that is told not to touch the folders of others. */
  private def clear(root: String): Unit = {
    val folder = tasksFolder(root).getParent.getParent
    val system = folder.getFileSystem(own)
    if (folder.toString.contains(id)) {
      system.delete(folder, true)
      if (folder.getParent.getName == TemporaryFolder)
        try system.delete(folder.getParent, false)
        catch { case _: IOException => } // others write there
    }
  }

  private def tasksFolder(root: String): Path = {
    val attempt = driverAttempt(id)
    val work = committer(root, attempt).getWorkPath
    Iterator.iterate(work)(_.getParent).find(_.getName == attempt.toString).get.getParent
  }

  private def each(root: String, attempts: Seq[String])(act: (PathOutputCommitter, TaskAttemptContext) => Unit): Unit =
    SideBySide.map(attempts) { name =>
      val attempt = TaskAttemptID.forName(name)
      act(committer(root, attempt), context(attempt))
    }
}

object OutputCommits {
  private val Magic = "org.apache.hadoop.fs.s3a.commit.magic.MagicS3GuardCommitter"
  private val Manifest = "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitter"

  /** The committers that put nothing in place before the job is committed. */
  private val Delaying = Set(Magic, Manifest)
  private val Factory = "mapreduce.outputcommitter.factory.scheme."
  private val ManifestFactory = s"${Manifest}Factory"
  private val AzureFactory = "org.apache.hadoop.fs.azurebfs.commit.AzureManifestCommitterFactory"

  /** In which Hadoop before 3.4.0 keeps the files of all jobs of a table; the first to end removes it. */
  private val SharedFolder = "/__magic/"
  private val InMemory = "fs.s3a.committer.magic.track.commits.in.memory.enabled"
  private val TemporaryFolder = "_temporary"

  /** A JobConf, of which each context would make a copy otherwise, reading Hadoop's files again. */
  private def configured(id: String, conf: Configuration): JobConf = {
    val own = new JobConf(conf)
    own.unset(PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS)
    val settings = Map(
      s"${Factory}s3a" -> "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory",
      s"${Factory}abfs" -> AzureFactory,
      s"${Factory}abfss" -> AzureFactory,
      s"${Factory}gs" -> ManifestFactory,
      "fs.s3a.committer.name" -> "magic",
      "fs.s3a.committer.magic.enabled" -> "true",
      "fs.s3a.committer.uuid" -> id,
      "fs.s3a.committer.require.uuid" -> "true",
      // others write to the same table
      "fs.s3a.committer.abort.pending.uploads" -> "false",
      "mapreduce.fileoutputcommitter.cleanup.skipped" -> "true",
      "spark.sql.sources.writeJobUUID" -> id,
      "mapreduce.manifest.committer.delete.target.files" -> "false",
      "mapreduce.fileoutputcommitter.marksuccessfuljobs" -> "false"
    )
    settings.foreach { case (key, value) => own.set(key, value) }
    own
  }

  private def jobId(id: String) = new JobID(id, 0)

  /** The attempts of a task differ in their last number: a committer lets one attempt of a task count. */
  def taskAttempt(id: String, task: Int, attempt: Long): TaskAttemptID =
    new TaskAttemptID(new TaskID(jobId(id), TaskType.MAP, task), (attempt % Int.MaxValue).toInt)

  /** The driver's own, which no task has. */
  def driverAttempt(id: String): TaskAttemptID = new TaskAttemptID(new TaskID(jobId(id), TaskType.REDUCE, 0), 0)
}
