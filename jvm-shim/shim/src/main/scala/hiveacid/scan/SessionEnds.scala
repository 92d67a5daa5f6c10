package hiveacid.scan

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import hiveacid.python.{PythonSide, PythonThreads}

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}

/** Hears that a client's session has ended, in a Thrift server or a server of Spark Connect, and has Python undo the
  * transaction that it has left open.
  *
  * Both servers tell so by events that name the client's session, not Spark's. So a transaction is known by where it
  * was begun: the statement of the Thrift server, which is the job group, or the operation of Spark Connect, whose job
  * tag names its session. The events are private to the servers, which are not in every Spark; they are known by name.
  */
object SessionEnds extends SparkListener with Logging {

  /** @param group
    *   the job group of its START TRANSACTION, null without one
    * @param tags
    *   the job tags
    */
  final private case class Origin(group: String, tags: Set[String])

  /** Origins by the token of the transaction. */
  private val origins = new ConcurrentHashMap[String, Origin]

  /** The sessions of the Thrift server's statements that are open, or have begun a transaction, by statement. */
  private val statements = new ConcurrentHashMap[String, String]

  /** The transaction has begun on this thread. */
  def begun(context: SparkContext, token: String): Unit =
    origins.put(token, Origin(context.getLocalProperty("spark.jobGroup.id"), context.getJobTags()))

  /** The transaction has ended. */
  def ended(token: String): Unit = origins.remove(token)

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case e: Product =>
      e.productPrefix match {
        case "SparkListenerThriftServerOperationStart"  => statements.put(text(e, 0), text(e, 1))
        case "SparkListenerThriftServerOperationClosed" => closed(text(e, 0))
        case "SparkListenerThriftServerSessionClosed"   => thriftSessionClosed(text(e, 0))
        case "SparkListenerConnectSessionClosed"        => connectSessionClosed(text(e, 0))
        case _                                          =>
      }
    case _ =>
  }

  private def text(event: Product, index: Int) = event.productElement(index).toString

  private def closed(statement: String): Unit =
    if (!origins.values.asScala.exists(_.group == statement)) statements.remove(statement)

  private def thriftSessionClosed(session: String): Unit = {
    val own = statements.asScala.collect { case (statement, `session`) => statement }.toSet
    abandon(origin => own(origin.group))
    own.foreach(statement => statements.remove(statement))
  }

  private def connectSessionClosed(session: String): Unit =
    abandon(_.tags.exists(_.contains(s"_Session_${session}_")))

  private def abandon(isOf: Origin => Boolean): Unit =
    origins.asScala.toSeq.filter(found => isOf(found._2)).foreach { case (token, _) =>
      PythonThreads.later(() => abandonNow(token))
    }

  /** Nobody waits for the answer; what could not be undone times out. */
  private def abandonNow(token: String): Unit =
    try PythonSide.registered.foreach(api => PythonSide.text(api.abandon(token)))
    catch { case NonFatal(e) => logWarning(s"a transaction was not undone at the end of its session", e) }
}
