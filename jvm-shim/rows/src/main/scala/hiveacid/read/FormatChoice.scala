package hiveacid.read

import java.util.Locale

import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.TransactionalFileFormat
import hiveacid.formats.json.{SerdeProperties, TableJsonFileFormat}
import hiveacid.formats.orc.{AcidOrcFileFormat, FlatOrcFileFormat}
import hiveacid.formats.parquet.TableParquetFileFormat

import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** The format of a transactional table's files.
  *
  * @param word
  *   of STORED AS
  * @param isWritten
  *   whether new rows can be written
  */
sealed abstract class FormatChoice(val word: String, val isWritten: Boolean) extends Serializable {

  /** @param zone
    *   in which TIMESTAMPs are read
    */
  def reader(zone: String, t: CatalogTable): TransactionalFileFormat
}

object FormatChoice {

  /** Files with the six columns of a full ACID table. */
  case object AcidOrc extends FormatChoice("ORC", isWritten = true) {
    override def reader(zone: String, t: CatalogTable): TransactionalFileFormat =
      new AcidOrcFileFormat(AcidTable.name(t), zone, t.dataSchema)
  }

  /** Files of an insert-only table, with the table's columns alone. */
  case object FlatOrc extends FormatChoice("ORC", isWritten = true) {
    override def reader(zone: String, t: CatalogTable): TransactionalFileFormat =
      new FlatOrcFileFormat(AcidTable.name(t), zone, t.dataSchema)
  }

  case object Parquet extends FormatChoice("PARQUET", isWritten = true) {
    override def reader(zone: String, t: CatalogTable): TransactionalFileFormat =
      new TableParquetFileFormat(AcidTable.name(t), zone, t.dataSchema)
  }

  /** Lines of text, each an object of JSON. */
  case object Json extends FormatChoice("JSONFILE", isWritten = false) {

    /** A class of Hive; Spark has none of this name. */
    val Serde = "org.apache.hadoop.hive.serde2.JsonSerDe"

    override def reader(zone: String, t: CatalogTable): TransactionalFileFormat = {
      val name = AcidTable.name(t)
      def refuse(refusal: Refusal) = throw AcidException.unsupported("Access", name, refusal)
      if (t.dataSchema.isEmpty)
        refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.JSON_WITHOUT_COLUMNS", Map("serde" -> Serde)))
      val properties = SerdeProperties
        .of(t)
        .fold(refuse, identity)
      new TableJsonFileFormat(name, zone, properties)
    }
  }

  /** The formats that Hive's SerDes read. */
  final case class Serde(name: String) extends FormatChoice(name, isWritten = false) {
    override def reader(zone: String, t: CatalogTable): TransactionalFileFormat =
      new SerdeFileFormat(AcidTable.name(t))
  }

  private val serdes = Map(
    "TEXTINPUTFORMAT" -> Serde("TEXTFILE"),
    "SEQUENCEFILEINPUTFORMAT" -> Serde("SEQUENCEFILE"),
    "RCFILEINPUTFORMAT" -> Serde("RCFILE"),
    "AVROCONTAINERINPUTFORMAT" -> Serde("AVRO")
  )

  /** The format, or why there is none. */
  def of(t: CatalogTable): Either[Refusal, FormatChoice] = {
    val format = t.storage.inputFormat.map(_.split('.').last).orElse(t.provider).getOrElse("")
    val word = format.toUpperCase(Locale.ROOT)
    if (word == "ORC" || word == "ORCINPUTFORMAT") Right(if (AcidTable.isInsertOnly(t)) FlatOrc else AcidOrc)
    else if (!AcidTable.isInsertOnly(t))
      Left(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT", Map("format" -> format)))
    else if (word == "MAPREDPARQUETINPUTFORMAT") Right(Parquet)
    else if (word == "TEXTINPUTFORMAT" && t.storage.serde.contains(Json.Serde)) Right(Json)
    else
      t.storage.serde.filterNot(isHere) match {
        case Some(absent) => Left(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_SERDE", Map("serde" -> absent)))
        case None         =>
          serdes.get(word).toRight(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_FORMAT", Map("format" -> format)))
      }
  }

  private def isHere(name: String): Boolean =
    try Class.forName(name, false, Thread.currentThread.getContextClassLoader) != null
    catch { case _: ClassNotFoundException | _: LinkageError => false }
}
