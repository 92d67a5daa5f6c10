package hiveacid.python

import java.lang.reflect.{InvocationHandler, Method, Proxy}

import hiveacid.errors.AcidException
import hiveacid.sidecar.Sidecar
import py4j.Py4JException

import org.apache.spark.sql.classic.SparkSession

/** Calls of a side-car: on few threads, and with an error that says what became of the statement if the process ends.
  */
final class SidecarApi private (sidecar: Sidecar, answering: InvocationHandler, api: PythonApi)
    extends InvocationHandler {

  override def invoke(proxy: Object, method: Method, arguments: Array[Object]): Object =
    PythonThreads.ask(
      SparkSession.getActiveSession.filter(_.sparkContext eq sidecar.context).getOrElse(sidecar.session)
    ) {
      try answering.invoke(api, method, arguments)
      catch { // an answer, as Python's own errors are: a proxy throws no checked exception
        case e: Py4JException => sidecar.findEnding().fold[Throwable](e)(ended(method.getName, _, e))
      }
    }

  private def ended(method: String, ending: String, cause: Throwable) = {
    val outcome = SidecarApi.Outcomes.getOrElse(method, "NOTHING_CHANGED")
    val parameters = Map("ending" -> ending, "outcome" -> AcidException.outcome(outcome))
    AcidException(SidecarApi.Ended, parameters, cause)
  }
}

object SidecarApi {
  val Ended = "HIVE_ACID_PYTHON_ENDED"

  /** The outcome of the statement if Python ends in the midst of a call, by method, unless it is that nothing changed.
    */
  private val Outcomes = Map(
    "QUERY_FAILED" -> "partitionNames scan tableContent tableHistory",
    "NOT_KNOWN" -> ("execute executeTogether alter addColumns takeColumnsBack operate takeBack createTable " +
      "dropTable createDatabase dropDatabase"),
    "TABLE_CREATED" -> "createdTable"
  ).flatMap { case (outcome, methods) => methods.split(' ').toSeq.map(_ -> outcome) }

  def of(sidecar: Sidecar, api: PythonApi): PythonApi = proxy(sidecar, api, classOf[PythonApi])

  def ofCatalog(sidecar: Sidecar, api: PythonCatalogApi): PythonCatalogApi =
    proxy(sidecar, api, classOf[PythonCatalogApi])

  private def proxy[T <: PythonApi](sidecar: Sidecar, api: T, form: Class[T]): T = {
    val handler = new SidecarApi(sidecar, Proxy.getInvocationHandler(api), api)
    form.cast(Proxy.newProxyInstance(getClass.getClassLoader, Array(form), handler))
  }
}
