package hiveacid.scan

import hiveacid.values.AcidTable
import hiveacid.errors.Refusal
import hiveacid.read.SerdeFileFormat

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, SubqueryExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** Scans of insert-only tables whose files Hive's SerDes read. */
case class PlanSerdeScans(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(columns, filters, RelationOfFiles(l, fs)) if fs.fileFormat.isInstanceOf[SerdeFileFormat] =>
      val table = l.catalogTable.get
      val (data, rest) = l.output.splitAt(fs.dataSchema.length)
      val (partition, hidden) = rest.splitAt(fs.partitionSchema.length)
      hidden.foreach { c =>
        val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_HIDDEN_COLUMN", Map("column" -> c.name))
        AcidTable.refuse("Access", table, refusal)
      }
      val used = AttributeSet(columns ++ filters)
      val pruning = filters.filter { f =>
        f.references.nonEmpty && f.references.subsetOf(AttributeSet(partition)) && !SubqueryExpression.hasSubquery(f)
      }
      val output = l.output.filter(used.contains)
      val scan = SerdeScanExec(output, fs.location.asInstanceOf[AcidFileIndex], table, data, partition, pruning)
      val rows = filters.reduceOption(And).fold[SparkPlan](scan)(FilterExec(_, scan))
      Seq(ProjectExec(columns, rows))
    case _ => Nil
  }
}
