package hiveacid.commands

import hiveacid.errors.AcidException
import hiveacid.values.{AcidTable, PartitionFolder, PartitionNames}
import hiveacid.wire.Overwrite

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType

/** The parts that INSERT OVERWRITE and TRUNCATE replace. */
object Overwrites {

  /** @param values
    *   by partition column, as the user wrote them; they are cast as the values of rows are, so that `'01'` means the
    *   partition `1` of a number
    */
  def of(
      session: SparkSession,
      table: CatalogTable,
      values: Map[String, String],
      isDynamic: Boolean,
      ifNotExists: Boolean
  ): Overwrite = {
    Overwrite(parts(session, table, values), isDynamic, ifNotExists, Nil)
  }

  /** The values of a PARTITION clause as `k=v` in the metastore's spelling, in the table's order of partition columns.
    */
  def parts(session: SparkSession, table: CatalogTable, values: Map[String, String]): Seq[String] =
    texts(session, table, values).map { case (name, text) => ExternalCatalogUtils.getPartitionPathString(name, text) }

  /** Partition column, in lower case, and text of each value of a PARTITION clause as the metastore has it, not
    * escaped; null for NULL. In the table's order of partition columns.
    *
    * Refuses a value in which Spark's parser has read bytes that are no UTF-8, all such bytes alike.
    */
  def texts(session: SparkSession, table: CatalogTable, values: Map[String, String]): Seq[(String, String)] = {
    val zone = session.sessionState.conf.sessionLocalTimeZone
    table.partitionSchema.zip(AcidTable.partitionKeys(table)).flatMap { case (field, key) =>
      values.collectFirst { case (name, value) if name.equalsIgnoreCase(field.name) => value }.map { value =>
        if (value != null && value.indexOf(PartitionFolder.Replacement) >= 0)
          throw AcidException(
            "HIVE_ACID_PARTITION_VALUE",
            Map("table" -> AcidTable.name(table), "column" -> field.name)
          )
        val meant = if (value == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null else value // Hive's spelling of NULL
        val typed = Cast(Literal.create(meant, StringType), field.dataType, Some(zone))
        val text = PartitionNames.text(typed, key.rawType, zone).eval()
        (key.name, Option(text).map(_.toString).orNull)
      }
    }
  }
}
