package hiveacid.commands

import hiveacid.plugins.TableStatement
import hiveacid.catalog.{MetastoreTable, ForeignTables}

import org.apache.spark.sql.{AnalysisException, Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.PartitioningUtils
import org.apache.spark.sql.hiveacid.SparkAccess

/** The partitions of a table in a catalog with a metastore of its own, by the names that the metastore has for them.
  *
  * @param values
  *   the texts of the PARTITION clause by column, null for NULL
  */
case class ShowForeignPartitionsCommand(
    table: CatalogTable,
    values: Map[String, String],
    override val output: Seq[Attribute]
) extends LeafRunnableCommand
    with TableStatement {
  override def nodeName: String = "HiveAcid SHOW PARTITIONS"
  override def statementKind: String = "SHOW PARTITIONS"
  override def targets: Seq[TableIdentifier] = Seq(table.identifier)
  override def sources: Seq[TableIdentifier] = Nil
  override def simpleString(maxFields: Int): String = s"$nodeName ${table.identifier.unquotedString}"

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    MetastoreTable.refusePlain("SHOW PARTITIONS", table)
    if (table.partitionColumnNames.isEmpty) {
      val named = Map("name" -> table.identifier.quotedString)
      throw new AnalysisException("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", named)
    }
    val wanted = SparkAccess.normalizedPartition(session, table, values)
    val names = ForeignTables.catalogOf(session, table).get.partitionNames(table)
    names
      .filter(n => ExternalCatalogUtils.isPartialPartitionSpec(wanted, PartitioningUtils.parsePathFragment(n)))
      .map(Row(_))
  }
}
