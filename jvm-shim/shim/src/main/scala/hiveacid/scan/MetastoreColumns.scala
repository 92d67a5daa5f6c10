package hiveacid.scan

import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import hiveacid.formats.parquet.Conversion
import hiveacid.python.PythonSide
import hiveacid.values.AcidTable
import hiveacid.wire.Column

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types._

/** The types of text that a table's columns have in the metastore.
  *
  * Spark keeps a description of its own among the properties of a table that it has made, and takes that as long as it
  * is like the metastore's columns (HiveExternalCatalog.restoreTableMetadata). It holds CHAR, VARCHAR and STRING for
  * alike, so that what another client has made of such a column since is not seen.
  */
object MetastoreColumns {

  /** A table as the metastore had it when its last DDL was done, which counts seconds. */
  final private case class Version(table: TableIdentifier, createdMs: Long, lastDdl: String, changesFound: Long)

  private val LastDdl = "transient_lastDdlTime"
  private val MostKnown = 1000

  /** A description of this age is that of its second; clocks may differ. */
  private val SettledSeconds = 60L
  private val TypeKey = "__CHAR_VARCHAR_TYPE_STRING" // CharVarcharUtils.CHAR_VARCHAR_TYPE_STRING_METADATA_KEY

  private val known = new ConcurrentHashMap[Version, Map[String, String]]

  /** The table with the metastore's types of text. */
  def of(session: SparkSession, t: CatalogTable): CatalogTable =
    if (AcidTable.foreignCatalog(t).isDefined || !AnalysedTables.areOfTheMetastore(t)) t
    else if (!Conversion.holds(t.schema)(isText)) t
    else {
      val types = typesOf(session, t)
      t.copy(schema = StructType(t.schema.map { field =>
        types.get(field.name.toLowerCase(Locale.ROOT)).fold(field)(corrected(field, _))
      }))
    }

  private def isText(t: DataType) = t match {
    case _: StringType | _: CharType | _: VarcharType => true
    case _                                            => false
  }

  /** Types in Hive's spelling, by column. */
  private def typesOf(session: SparkSession, t: CatalogTable): Map[String, String] = {
    val version = Version(AcidTable.key(t), t.createTime, t.properties.getOrElse(LastDdl, ""), PythonSide.changesFound)
    Option(known.get(version)).getOrElse {
      val name = AcidTable.name(t)
      val found = PythonSide.message[Seq[Column]](PythonSide.apiFor(session, t).columns(name))
      val types = found.map(column => column.name -> column.`type`).toMap
      if (known.size >= MostKnown) known.clear()
      if (isSettled(version)) known.put(version, types)
      types
    }
  }

  private def isSettled(version: Version) =
    Try(version.lastDdl.toLong).toOption.exists(_ < System.currentTimeMillis / 1000 - SettledSeconds)

  private def corrected(field: StructField, text: String): StructField = {
    val shown = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    val stored = Try(CatalystSqlParser.parseDataType(text)).toOption.fold(shown)(merged(shown, _))
    if (stored == shown) field
    else {
      val metadata = new MetadataBuilder().withMetadata(field.metadata).remove(TypeKey).build()
      val raw = StructType(Seq(field.copy(dataType = stored, metadata = metadata)))
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(raw).head
    }
  }

  /** Spark's type, with its spelling of names and its collations, and the metastore's lengths of texts. */
  private def merged(shown: DataType, stored: DataType): DataType = (shown, stored) match {
    case (_: CharType | _: VarcharType, text) if isText(text)   => text
    case (_: StringType, text @ (_: CharType | _: VarcharType)) => text
    case (a: ArrayType, b: ArrayType)                           =>
      a.copy(elementType = merged(a.elementType, b.elementType))
    case (a: MapType, b: MapType) =>
      a.copy(keyType = merged(a.keyType, b.keyType), valueType = merged(a.valueType, b.valueType))
    case (StructType(as), StructType(bs)) if as.length == bs.length =>
      StructType(as.zip(bs).map { case (a, b) => a.copy(dataType = merged(a.dataType, b.dataType)) })
    case _ => shown
  }
}
