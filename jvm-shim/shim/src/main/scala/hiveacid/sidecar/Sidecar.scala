package hiveacid.sidecar

import java.net.InetAddress
import java.security.SecureRandom
import java.util.concurrent.{ExecutionException, TimeUnit, TimeoutException}

import hiveacid.errors.AcidException
import py4j.ClientServer

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** The Python half of an application that no Python has set up: a process beside the driver, which ends with the
  * application. It is started, watched and ended here; what it is asked is not known here.
  */
final class Sidecar private (
    val session: SparkSession,
    val python: PythonProgram,
    process: SidecarProcess,
    gateway: ClientServer
) extends Logging {
  private val ender = new SparkListener {
    override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = Sidecar.this.end()
  }

  def context: SparkContext = session.sparkContext

  def isAlive: Boolean = process.isAlive

  /** How it ended, if it has ended or is about to; None if it goes on. */
  def findEnding(): Option[String] = if (process.endsWithin(Sidecar.ExitMs)) Some(process.ending) else None

  /** Lets it abort what it has open and end. */
  def end(): Unit = {
    context.removeSparkListener(ender)
    process.end()
    gateway.shutdown()
  }

  /** The object that it answers with, once it does; throws its error if it cannot. */
  private def await(entry: SidecarEntry): AnyRef = {
    val deadline = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(Sidecar.StartMs)
    var found: Option[AnyRef] = None
    while (found.isEmpty)
      try found = Some(entry.answering.get(Sidecar.PollMs, TimeUnit.MILLISECONDS))
      catch {
        case e: ExecutionException                                         => throw e.getCause
        case _: TimeoutException if !isAlive && !entry.answering.isDone    => throw unusable(process.ending)
        case _: TimeoutException if isAlive && System.nanoTime >= deadline =>
          throw unusable(s"it has not answered within ${Sidecar.StartMs} ms")
        case _: TimeoutException =>
      }
    context.addSparkListener(ender)
    found.get
  }

  private def unusable(failure: String) = {
    val parameters = Map("program" -> python.program, "origin" -> python.origin, "failure" -> failure)
    AcidException("HIVE_ACID_CONFIGURATION.PYTHON_NOT_USABLE", parameters + ("version" -> SidecarEntry.version))
  }

  private def abandon(): Unit = {
    process.kill()
    gateway.shutdown()
  }
}

object Sidecar extends Logging {
  private val Module = "hive_acid.session.sidecar"
  private val StartMs = 120000L
  private val PollMs = 50L
  private val ExitMs = 2000L
  private val SecretBytes = 32

  /** Starts one for the application, and returns it with what it answers with.
    *
    * Throws HIVE_ACID_CONFIGURATION if there is no Python for it or it cannot work with this application.
    */
  def start(asking: SparkSession, isSuccessor: Boolean): (Sidecar, AnyRef) = {
    val conf = asking.sparkContext.getConf
    val python = PythonProgram.choose(conf.getOption, name => Option(System.getenv(name)))
    val entry = new SidecarEntry(asking.newSession(), python, isSuccessor)
    val secret = newSecret()
    val gateway = serve(entry, secret)
    val sidecar =
      try {
        val process = SidecarProcess.start(python, Seq("-m", Module), environment(gateway, secret))
        new Sidecar(entry.session, python, process, gateway)
      } catch {
        case e: Throwable =>
          gateway.shutdown()
          throw e
      }
    try {
      val answering = sidecar.await(entry)
      logInfo(s"The Python half runs in ${python.program}")
      (sidecar, answering)
    } catch {
      case e: Throwable =>
        sidecar.abandon()
        throw e
    }
  }

  /** A gateway of its own, whatever this JVM has besides. Its threads find our classes, which `spark.jars` has brought,
    * by the class loader of the thread that starts it.
    */
  private def serve(entry: SidecarEntry, secret: String): ClientServer = {
    val gateway = new ClientServer.ClientServerBuilder(entry)
      .authToken(secret)
      .javaPort(0)
      .javaAddress(InetAddress.getLoopbackAddress)
      .build()
    val thread = Thread.currentThread
    val loader = thread.getContextClassLoader
    thread.setContextClassLoader(getClass.getClassLoader)
    try gateway.startServer()
    finally thread.setContextClassLoader(loader)
    gateway
  }

  private def environment(gateway: ClientServer, secret: String): Map[String, String] = {
    // Spark's own PySpark comes first: the one that is installed may be of another release
    val path = Seq(SparkAccess.pythonPath, Option(System.getenv("PYTHONPATH")).getOrElse(""))
    Map(
      "PYSPARK_GATEWAY_PORT" -> gateway.getJavaServer.getListeningPort.toString,
      "PYSPARK_GATEWAY_SECRET" -> secret,
      "PYSPARK_PIN_THREAD" -> "true", // each call of the JVM's is answered, and calls back, on one thread
      "PYTHONPATH" -> path.filter(_.nonEmpty).mkString(java.io.File.pathSeparator),
      "PYTHONSAFEPATH" -> "1", // the driver's working directory holds no modules
      "PYTHONUNBUFFERED" -> "1"
    )
  }

  private def newSecret(): String = {
    val bytes = new Array[Byte](SecretBytes)
    new SecureRandom().nextBytes(bytes)
    bytes.map(b => f"${b & 0xff}%02x").mkString
  }
}
