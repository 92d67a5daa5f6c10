package hiveacid

import java.net.URL
import java.util

import org.apache.spark.util.MutableURLClassLoader

/** A loader of the same classes and resources as Spark's loader of `spark.jars`, whose parent is not that one.
  *
  * In a Thrift server, the end of a session of a client that waits for its statements (PyHive, dbt) closes all loaders
  * from that of the session's jars up to Hive's own: SparkExecuteStatementOperation gives the session this loader, and
  * `SessionState.close` of Hive 2.3 closes it and its parents. No class of `spark.jars` that has not been used until
  * then is found any more, in any session (seen on Spark 4.3.0).
  */
final class ShieldedLoader(jars: ClassLoader) extends ClassLoader(jars.getParent) {
  override protected def findClass(name: String): Class[_] = jars.loadClass(name)
  override protected def findResource(name: String): URL = jars.getResource(name)
  override protected def findResources(name: String): util.Enumeration[URL] = jars.getResources(name)
}

object ShieldedLoader {
  private val Server = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

  /** Shields the thread that starts a Thrift server, before it makes what the sessions share. */
  def shieldServer(): Unit = {
    val thread = Thread.currentThread
    thread.getContextClassLoader match {
      case jars: MutableURLClassLoader if sys.props.get("sun.java.command").exists(_.contains(Server)) =>
        thread.setContextClassLoader(new ShieldedLoader(jars))
      case _ =>
    }
  }
}
