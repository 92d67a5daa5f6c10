package hiveacid.values

import hiveacid.errors.{AcidException, QuietPaths}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Cast, InterpretedMutableProjection, Literal}

/** The typed values that the names of a table's partitions stand for.
  *
  * @param zone
  *   in which the wall clock of a TIMESTAMP is an instant
  */
final case class PartitionValues(table: CatalogTable, zone: String) {

  /** In the order of the partition columns. */
  def of(partition: String): InternalRow = {
    val texts = partition.split('/').map(p => ExternalCatalogUtils.unescapePathName(p.substring(p.indexOf('=') + 1)))
    InternalRow.fromSeq(texts.toSeq.zip(table.partitionSchema).map { case (text, field) =>
      if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null
      else QuietPaths.quietly(Cast(Literal(text), field.dataType, Some(zone)).eval())(_ => unreadable(field.name))
    })
  }

  private def unreadable(column: String) = {
    val detail = s"the value of $column in the name of a partition is none of its type"
    AcidException("HIVE_ACID_INTERNAL", Map("reason" -> detail))
  }

  /** The first of the names that is not the one that Hive, and a write of ours, makes of the values it stands for, and
    * that one. Changes of its rows would go to another partition.
    */
  def findMisspelled(partitions: Seq[String]): Option[(String, String)] = {
    val columns = table.partitionSchema.map(f => AttributeReference(f.name, f.dataType)())
    val name = PartitionNames.name(columns, AcidTable.partitionKeys(table), zone, AcidTable.name(table))
    val projection = new InterpretedMutableProjection(Seq(name), columns)
    partitions.iterator
      .map(given => (given, projection(of(given)).getUTF8String(0).toString))
      .find { case (given, wanted) => given != wanted }
  }
}
