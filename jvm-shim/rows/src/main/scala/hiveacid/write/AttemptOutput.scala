package hiveacid.write

import java.io.IOException

import scala.collection.mutable

import hiveacid.wire.OutputJob
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptID
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging

/** Where one attempt of a task puts its files. Other attempts never meet them. */
sealed trait AttemptOutput {

  /** The name by which the driver knows the attempt. */
  def id: String

  /** The path to write a file to. */
  def file(partition: String, folder: String, name: String): Path

  /** Removes what the attempt has written. */
  def remove(): Unit
}

object AttemptOutput {

  /** The output of a task attempt. */
  def of(staging: String, job: OutputJob, conf: Configuration, context: TaskContext): AttemptOutput =
    if (job.id.isEmpty) new StagedOutput(staging, WriteTask.attemptFolder(context), conf)
    else {
      val attempt = OutputCommits.taskAttempt(job.id, context.partitionId(), context.taskAttemptId())
      val output = new CommitterOutput(job, attempt, conf)
      context.addTaskFailureListener((_, _) => output.remove())
      output
    }

  /** The output of the driver, which writes without tasks. */
  def ofDriver(staging: String, job: OutputJob, conf: Configuration): AttemptOutput =
    if (job.id.isEmpty) new StagedOutput(staging, "", conf)
    else new CommitterOutput(job, OutputCommits.driverAttempt(job.id), conf)
}

/** Files in the attempt's own folder below the staging folder. */
final private class StagedOutput(staging: String, override val id: String, conf: Configuration)
    extends AttemptOutput
    with Logging {
  private val root = WriteTask.child(new Path(staging), id)

  override def file(partition: String, folder: String, name: String): Path =
    new Path(WriteTask.child(root, partition), s"$folder/$name")

  /** The statement may have removed its staging folder before this attempt wrote into it: then nobody else would. */
  override def remove(): Unit =
    try {
      val fs = root.getFileSystem(conf)
      fs.delete(root, true)
      fs.delete(new Path(staging), false) // unless others have written there
    } catch { case e: IOException => logDebug(s"Left $root", e) }
}

/** Files that a committer of Hadoop's keeps back until the driver has them put in place. The attempt never commits
  * itself: of two attempts the later one would win, also one whose result nobody has asked for.
  */
final private class CommitterOutput(job: OutputJob, attempt: TaskAttemptID, conf: Configuration)
    extends AttemptOutput
    with Logging {
  private val committers = mutable.LinkedHashMap.empty[String, PathOutputCommitter]
  private val commits = new OutputCommits(job.id, conf)

  override def id: String = attempt.toString

  override def file(partition: String, folder: String, name: String): Path = {
    val (root, below) = job.elsewhere.get(partition) match {
      case Some(location) => (location, "")
      case None           => (job.root, partition)
    }
    val work = committers.getOrElseUpdate(root, begin(root)).getWorkPath
    new Path(WriteTask.child(work, below), s"$folder/$name")
  }

  private def begin(root: String): PathOutputCommitter = {
    val committer = commits.committer(root, attempt)
    committer.setupTask(commits.context(attempt))
    committer
  }

  override def remove(): Unit = committers.values.foreach { committer =>
    try committer.abortTask(commits.context(attempt))
    catch { case e: IOException => logDebug(s"Left files of $attempt", e) }
  }
}
