package hiveacid.sidecar

import java.util.Properties
import java.util.concurrent.CompletableFuture

import hiveacid.errors.AcidException

import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.sql.classic.SparkSession

/** The object that a side-car finds behind its gateway: what it calls while it starts.
  *
  * @param session
  *   one of its own, so that nobody's settings and current database are its
  * @param isSuccessor
  *   true if another side-car of the application has ended, which may have left something open
  */
final class SidecarEntry(val session: SparkSession, python: PythonProgram, val isSuccessor: Boolean) {

  /** The object that the side-car answers with; its failure if it could not start. */
  val answering = new CompletableFuture[AnyRef]

  val context: JavaSparkContext = JavaSparkContext.fromSparkContext(session.sparkContext)

  /** The session that JVM code has by default, which must stay so: PySpark would make the first one that it hears of
    * the default.
    */
  def defaultSession: SparkSession = SparkSession.getDefaultSession.getOrElse(session)

  /** False if the side-car is of another version than this jar; it has to end then. */
  def welcome(version: String): Boolean = {
    val isWelcome = version == SidecarEntry.version
    if (!isWelcome) {
      val parameters = Map("program" -> python.program, "origin" -> python.origin, "found" -> version)
      failed(
        AcidException(
          "HIVE_ACID_CONFIGURATION.PYTHON_OF_OTHER_VERSION",
          parameters + ("version" -> SidecarEntry.version)
        )
      )
    }
    isWelcome
  }

  def ready(api: AnyRef): Unit = answering.complete(api)

  def failed(error: Throwable): Unit = answering.completeExceptionally(error)
}

object SidecarEntry {

  /** That of this jar. */
  lazy val version: String = {
    val described = new Properties
    val stream = classOf[SidecarEntry].getResourceAsStream("/hiveacid/shim.properties")
    try described.load(stream)
    finally stream.close()
    described.getProperty("version")
  }
}
