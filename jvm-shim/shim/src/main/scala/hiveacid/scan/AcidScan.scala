package hiveacid.scan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** A leaf that reads a transactional table by our own index, and the relation in it. */
object AcidScan {
  def unapply(plan: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation, AcidFileIndex)] = plan match {
    case RelationOfFiles(l, fs) =>
      fs.location match {
        case index: AcidFileIndex => Some((l, fs, index))
        case _                    => None
      }
    case _ => None
  }

  /** The same leaf with another index. */
  def apply(l: LogicalRelation, fs: HadoopFsRelation, index: AcidFileIndex): LogicalRelation =
    l.copy(relation = fs.copy(location = index)(fs.sparkSession))
}
