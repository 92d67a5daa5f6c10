package hiveacid.commands

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan}

/** The node of `INSERT INTO t BY NAME`, as Spark's parser makes it. */
object InsertByName {
  def apply(table: TableIdentifier, query: LogicalPlan): InsertIntoStatement =
    InsertIntoStatement(
      UnresolvedRelation(table.nameParts),
      Map.empty,
      Nil,
      query,
      overwrite = false,
      ifPartitionNotExists = false,
      byName = true
    )
}
