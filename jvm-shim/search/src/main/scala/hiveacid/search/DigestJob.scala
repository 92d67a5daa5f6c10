package hiveacid.search

import java.security.MessageDigest

import scala.util.control.NonFatal

import hiveacid.wire.SearchedFile
import org.apache.commons.codec.binary.Hex
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

/** The SHA-256 of whole files, by one Spark job. A file is never in memory whole. */
object DigestJob {
  private val BufferBytes = 1 << 20

  /** One for each file, in order, in hexadecimal; None for one that is gone, or is another than it was listed as. */
  def run(session: SparkSession, files: Seq[SearchedFile]): Seq[Option[String]] =
    if (files.isEmpty) Nil
    else {
      val conf = new SerializableConfiguration(session.sessionState.newHadoopConf())
      val tasks = math.min(files.length, session.sparkContext.defaultParallelism * SearchJob.TasksPerCore)
      session.sparkContext.parallelize(files, tasks).map(file => digest(file, conf.value)).collect().toSeq
    }

  private def digest(file: SearchedFile, conf: Configuration): Option[String] =
    try
      if (!isAsListed(file, conf)) None
      else {
        val found = read(new Path(file.path), conf)
        if (isAsListed(file, conf)) Some(found) else None
      }
    catch {
      case e: TaskKilledException                                             => throw e
      case NonFatal(e) if Option(TaskContext.get()).exists(_.isInterrupted()) => throw e
      case NonFatal(_)                                                        => None
    }

  private def isAsListed(file: SearchedFile, conf: Configuration): Boolean = {
    val path = new Path(file.path)
    val found = path.getFileSystem(conf).getFileStatus(path)
    found.getLen == file.lengthBytes && found.getModificationTime == file.modifiedMs
  }

  private def read(path: Path, conf: Configuration): String = {
    val (sha256, buffer) = (MessageDigest.getInstance("SHA-256"), new Array[Byte](BufferBytes))
    val in = path.getFileSystem(conf).open(path)
    try Iterator.continually(in.read(buffer)).takeWhile(_ >= 0).foreach(sha256.update(buffer, 0, _))
    finally in.close()
    Hex.encodeHexString(sha256.digest())
  }
}
