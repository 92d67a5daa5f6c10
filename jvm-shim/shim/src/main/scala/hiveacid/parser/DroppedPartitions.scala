package hiveacid.parser

import hiveacid.commands.PartitionCondition
import hiveacid.errors.AcidException
import hiveacid.python.PythonSide
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.wire.PartitionDrop

import org.apache.spark.sql.catalyst.analysis.UnresolvedPartitionSpec
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.{DropPartitions, LocalRelation, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkLinePlans

/** `ALTER TABLE … DROP PARTITION` with comparisons becomes Spark's node, with the partitions of now for which they are
  * true.
  */
object DroppedPartitions {
  private val Title = "ALTER TABLE … DROP PARTITION"

  /** The plan of such a statement about a transactional table; None for another text. Throws Python's error if no
    * partition matches and some must.
    */
  def parsed(session: SparkSession, text: String): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    drop <- PythonSide.message[Option[PartitionDrop]](api.partitionDrop(text))
    table <- AcidRelation.read(session, drop.table)
  } yield matching(session, table, drop.condition) match {
    case Seq() if drop.ifExists => LocalRelation()
    case Seq()                  =>
      val found = Map("table" -> AcidTable.name(table), "partition" -> drop.condition)
      throw AcidException("HIVE_ACID_PARTITION_NOT_FOUND", found)
    case names =>
      val parts = names.map(name => UnresolvedPartitionSpec(values(name)))
      DropPartitions(SparkLinePlans.table(drop.table, Title), parts, drop.ifExists, drop.purges)
  }

  private def matching(session: SparkSession, table: CatalogTable, condition: String): Seq[String] = {
    val api = PythonSide.apiFor(session, table)
    val names = PythonSide.message[Seq[String]](api.currentPartitions(AcidTable.name(table)))
    PartitionCondition(Title, table, condition).matching(session, names)
  }

  /** As Spark's parser has those of a PARTITION clause, null for NULL. */
  private def values(name: String): Map[String, String] = name
    .split('/')
    .map { part =>
      val at = part.indexOf('=')
      val text = ExternalCatalogUtils.unescapePathName(part.substring(at + 1))
      val value = if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null else text
      ExternalCatalogUtils.unescapePathName(part.substring(0, at)) -> value
    }
    .toMap
}
