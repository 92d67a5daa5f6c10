package hiveacid.analysis

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The options that the user has given with the name of a table: those of a DataFrame's reader, and of WITH in SQL. */
object StatedOptions {
  // UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES, which Spark keeps among them
  private val Foreign = "__required_write_privileges__"

  def of(relation: LogicalPlan): Map[String, String] = relation match {
    case r: UnresolvedRelation =>
      r.options.asCaseSensitiveMap.asScala.toMap.filterNot { case (key, _) => isForeign(key) }
    case _ => Map.empty
  }

  /** The same name without them. */
  def removed(relation: LogicalPlan): LogicalPlan = relation match {
    case r: UnresolvedRelation =>
      val kept = r.options.asCaseSensitiveMap.asScala.filter { case (key, _) => isForeign(key) }
      r.copy(options = new CaseInsensitiveStringMap(kept.asJava))
    case other => other
  }

  private def isForeign(key: String) = key.equalsIgnoreCase(Foreign)
}
