package hiveacid.scan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** Scans that ask for ROW__ID. The rows of files without ACID columns are numbered for them, which takes a look at
  * every such file; all others do without.
  */
object NumberedScans extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case RelationOfFiles(l, fs) if isUnnumbered(fs) && l.output.exists(RowIds.isRowId) =>
      val index = fs.location.asInstanceOf[AcidFileIndex].ofRowIds
      l.copy(relation = fs.copy(location = index)(fs.sparkSession))
  }

  private def isUnnumbered(fs: HadoopFsRelation) = fs.location match {
    case i: AcidFileIndex => !i.withRowIds
    case _                => false
  }
}
