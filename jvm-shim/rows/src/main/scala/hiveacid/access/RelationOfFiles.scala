package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** A leaf that reads files by a file format, and the relation in it. */
object RelationOfFiles {
  def unapply(plan: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation)] = plan match {
    case l: LogicalRelation =>
      l.relation match {
        case fs: HadoopFsRelation => Some((l, fs))
        case _                    => None
      }
    case _ => None
  }
}
