package hiveacid.search

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SearchAccess

/** A session whose answers do not depend on what another one has set. Python says which settings count. */
object PinnedSession {

  /** A session beside this one, with its functions and temporary views of now. Names of Spark's own functions are
    * theirs, whatever this session has called so.
    *
    * @param families
    *   beginnings of the names of settings that have their defaults there, whatever this session or its application has
    *   set. Static settings stay, and so do those that Spark does not know, which may be other extensions'
    * @param kept
    *   beginnings of names that are exempt
    * @param fixed
    *   settings with other values than their defaults, also Hadoop's
    */
  def beside(
      session: SparkSession,
      families: Seq[String],
      kept: Seq[String],
      fixed: Map[String, String]
  ): SparkSession = {
    val own = SearchAccess.beside(session)
    val conf = own.sessionState.conf
    def isOf(beginnings: Seq[String])(key: String) = beginnings.exists(key.startsWith)
    def isOfSpark(key: String) = key.startsWith("spark.")
    val (again, others) = conf.getAllConfs.keys.partition(key => fixed.keys.exists(_.equalsIgnoreCase(key)))
    val unset =
      others.filter(isOf(families)).filterNot(isOf(kept)).filter(key => !isOfSpark(key) || conf.isModifiable(key))
    (again ++ unset).foreach(conf.unsetConf(_: String))
    fixed.foreach { case (key, value) => conf.setConfString(key, value) }
    val functions = FunctionRegistry.builtin
    for {
      name <- functions.listFunction()
      info <- functions.lookupFunction(name)
      builder <- functions.lookupFunctionBuilder(name)
    } own.sessionState.functionRegistry.registerFunction(name, info, builder)
    own
  }
}
