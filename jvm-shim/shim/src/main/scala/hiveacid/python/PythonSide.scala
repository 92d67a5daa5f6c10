package hiveacid.python

import java.util.concurrent.atomic.AtomicLong

import com.fasterxml.jackson.module.scala.JavaTypeable
import hiveacid.errors.AcidException
import hiveacid.sidecar.Sidecar
import hiveacid.values.AcidTable
import hiveacid.wire.Wire

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession

/** Python's side of the application: who answers, and how its answers are taken.
  *
  * The driver's own Python answers if it has set the application up (`hive_acid.configure`). Otherwise a side-car is
  * started by the first statement that needs Python, and another one if that has ended.
  */
object PythonSide {
  private val CauseDepth = 20

  final private case class Connected(context: SparkContext, api: Option[PythonApi])
  final private case class Started(sidecar: Sidecar, api: PythonApi)

  @volatile private var connected: Option[Connected] = None
  @volatile private var started: Option[Started] = None
  private val catalogs = new PythonCatalogApis
  private val changes = new AtomicLong

  /** How often a table was another one than it was taken for: what is remembered of tables may be of before. */
  def changesFound: Long = changes.get

  /** From now on this API, of the driver's own Python, is asked. */
  def connect(context: SparkContext, p: PythonApi): Unit = synchronized {
    connected = Some(Connected(context, Option(p)))
    started.foreach(_.sidecar.end())
    started = None
  }

  /** Every transactional table is refused from then on. */
  def disconnect(): Unit = synchronized { connected = connected.map(_.copy(api = None)) }

  /** The API to ask about a table of the session's own catalog, by its name; refuses by name if Python's side has
    * ended.
    */
  def apiFor(session: SparkSession, table: String): PythonApi =
    reachable(session).getOrElse(throw AcidException("HIVE_ACID_NO_PLANNER", Map("table" -> table)))

  /** The API to ask about a table, that of its catalog. */
  def apiFor(session: SparkSession, table: CatalogTable): PythonApi =
    AcidTable.foreignCatalog(table).fold(apiFor(session, AcidTable.name(table))) { name =>
      session.sessionState.catalogManager.catalog(name) match {
        case own: ForeignCatalog => apiFor(session, own)
        case _                   => throw AcidException("HIVE_ACID_NO_PLANNER", Map("table" -> AcidTable.name(table)))
      }
    }

  /** The API that answers for a catalog with a metastore of its own. */
  def apiFor(session: SparkSession, own: ForeignCatalog): PythonCatalogApi = {
    val application = apiFor(session, own.request.name)
    catalogs.find(application, own.request) { api =>
      started.filter(_.api eq application).fold(api)(s => SidecarApi.ofCatalog(s.sidecar, api))
    }
  }

  /** The API, started if need be; None if Python's side has ended. */
  def reachable(session: SparkSession): Option[PythonApi] = {
    val context = session.sparkContext
    connected.filter(_.context eq context).map(_.api).getOrElse(Some(running(context).getOrElse(start(session))))
  }

  /** The API that there is. */
  def registered: Option[PythonApi] =
    connected.filterNot(_.context.isStopped).map(_.api).getOrElse(started.filter(_.sidecar.isAlive).map(_.api))

  /** It, and those of catalogs with metastores of their own. */
  def answering: Seq[PythonApi] = registered.toSeq.flatMap(api => api +: catalogs.of(api))

  private def running(context: SparkContext): Option[PythonApi] =
    started.filter(s => (s.sidecar.context eq context) && s.sidecar.isAlive).map(_.api)

  private def start(session: SparkSession): PythonApi = synchronized {
    running(session.sparkContext).getOrElse {
      val isSuccessor = started.exists(_.sidecar.context eq session.sparkContext)
      started.filter(_.sidecar.isAlive).foreach(_.sidecar.end())
      ClientInterrupts.heard
      val (sidecar, answering) = Sidecar.start(session, isSuccessor)
      val api = SidecarApi.of(sidecar, answering.asInstanceOf[PythonApi])
      started.foreach(_.sidecar.end())
      started = Some(Started(sidecar, api))
      api
    }
  }

  /** The message Python answered with, or its error thrown. */
  def message[T: JavaTypeable](answer: Object): T = Wire.read[T](text(answer))

  /** The text Python answered with, or its error thrown. */
  def text(answer: Object): String = answer match {
    case s: String => s
    case other     => throw unexpected(other)
  }

  /** The error for an answer that is not of the kind it should be: Python's own if it is one. */
  private[python] def unexpected(answer: Object): Throwable = answer match {
    // a named error of a task comes wrapped in Spark's "failed to read file" or "job aborted"
    case t: Throwable =>
      val found = named(t)
      if (found.exists(_.mainCondition == "HIVE_ACID_TABLE_CHANGED")) changes.incrementAndGet()
      found.getOrElse(t)
    case other =>
      val parameters = Map("reason" -> s"Python answered $other", "outcome" -> AcidException.outcome("NOT_KNOWN"))
      AcidException("HIVE_ACID_INTERNAL", parameters)
  }

  private def named(t: Throwable): Option[AcidException] =
    causes(t).collectFirst { case a: AcidException => a }

  /** The error and its causes, as far as anybody looks. */
  def causes(t: Throwable): Iterator[Throwable] =
    Iterator.iterate(t)(_.getCause).takeWhile(_ != null).take(CauseDepth)

  /** The session's own settings of ours, for a request. */
  def settings(session: SparkSession): Map[String, String] =
    session.sessionState.conf.getAllConfs.filter { case (key, _) =>
      key.toLowerCase(java.util.Locale.ROOT).startsWith("spark.hiveacid.")
    }
}
