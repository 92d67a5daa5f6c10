package hiveacid.sidecar

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import hiveacid.errors.AcidException

import org.apache.spark.internal.Logging

/** A child process that ends when its standard input does, and so when this JVM is gone, in whatever way. Its output
  * goes to the log.
  */
final class SidecarProcess private (process: Process) extends Logging {
  import SidecarProcess._

  private val lines = mutable.Queue.empty[String]
  private val pump = new Thread(() => read(), "hive-acid-sidecar-output")
  pump.setDaemon(true)
  pump.start()

  def isAlive: Boolean = process.isAlive

  /** True if it ends within this time. */
  def endsWithin(milliseconds: Long): Boolean = process.waitFor(milliseconds, TimeUnit.MILLISECONDS)

  /** The end of a process that has ended, for errors: its exit code, and the last line of its output. */
  def ending: String = {
    pump.join(OutputMs)
    val last = lines.synchronized(lines.reverse.find(_.trim.nonEmpty))
    s"its exit code was ${process.exitValue}" + last.fold("")(line => s", and its last line of output: ${line.trim}")
  }

  /** Lets it end, and kills it if it does not. */
  def end(): Unit = {
    try process.getOutputStream.close()
    catch { case _: IOException => } // it has ended
    if (!endsWithin(EndMs)) process.destroyForcibly()
  }

  def kill(): Unit = process.destroyForcibly()

  private def read(): Unit = {
    val reader = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    try
      Iterator.continually(reader.readLine()).takeWhile(_ != null).foreach { line =>
        lines.synchronized {
          lines.enqueue(line)
          if (lines.length > Kept) lines.dequeue()
        }
        logWarning(line)
      }
    catch { case _: IOException => } // killed
  }
}

object SidecarProcess {
  private val Kept = 50
  private val OutputMs = 5000L
  private val EndMs = 10000L // it aborts what it has open

  /** @param environment
    *   what the child has besides, or in place of, this process's own
    */
  def start(python: PythonProgram, arguments: Seq[String], environment: Map[String, String]): SidecarProcess = {
    val builder = new ProcessBuilder((python.program +: arguments).asJava).redirectErrorStream(true)
    // a remote session of PySpark's would be no session of this driver
    Seq("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED").foreach(builder.environment.remove)
    builder.environment.putAll(environment.asJava)
    try new SidecarProcess(builder.start())
    catch {
      case e: IOException =>
        val parameters = Map("program" -> python.program, "origin" -> python.origin, "failure" -> e.getMessage)
        throw AcidException("HIVE_ACID_CONFIGURATION.PYTHON_NOT_FOUND", parameters, e)
    }
  }
}
