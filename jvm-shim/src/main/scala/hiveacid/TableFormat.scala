package hiveacid

import java.util.Locale

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.FileFormat

/** A reader of ours, by which a relation of Spark's file sources is known to be a transactional table. */
trait TransactionalFileFormat extends FileFormat {

  /** `db.table`, for errors. */
  def table: String
}

/** What the files of a transactional table are.
  *
  * @param word
  *   of STORED AS
  * @param isWritten
  *   whether new rows can be written
  */
sealed abstract class TableFormat(val word: String, val isWritten: Boolean) {
  def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat

  final protected def zone(session: SparkSession): String = session.sessionState.conf.sessionLocalTimeZone
}

object TableFormat {

  /** Files with the six columns of a full ACID table. */
  case object AcidOrc extends TableFormat("ORC", isWritten = true) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new orc.AcidOrcFileFormat(AcidTables.name(t), zone(session))
  }

  /** Files of an insert-only table, with the table's columns alone. */
  case object FlatOrc extends TableFormat("ORC", isWritten = true) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new orc.FlatOrcFileFormat(AcidTables.name(t), zone(session))
  }

  case object Parquet extends TableFormat("PARQUET", isWritten = true) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new parquet.TableParquetFileFormat(AcidTables.name(t), zone(session))
  }

  /** What Hive's SerDes read. */
  final case class Serde(name: String) extends TableFormat(name, isWritten = false) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new SerdeFileFormat(AcidTables.name(t))
  }

  private val serdes = Map(
    "TEXTINPUTFORMAT" -> Serde("TEXTFILE"),
    "SEQUENCEFILEINPUTFORMAT" -> Serde("SEQUENCEFILE"),
    "RCFILEINPUTFORMAT" -> Serde("RCFILE"),
    "AVROCONTAINERINPUTFORMAT" -> Serde("AVRO")
  )

  /** The format, or the reason why there is none. */
  def of(t: CatalogTable): Either[String, TableFormat] = {
    val format = t.storage.inputFormat.map(_.split('.').last).orElse(t.provider).getOrElse("")
    val word = format.toUpperCase(Locale.ROOT)
    if (word == "ORC" || word == "ORCINPUTFORMAT") Right(if (AcidTables.isInsertOnly(t)) FlatOrc else AcidOrc)
    else if (!AcidTables.isInsertOnly(t)) Left(s"its files are not ORC but $format")
    else if (word == "MAPREDPARQUETINPUTFORMAT") Right(Parquet)
    else serdes.get(word).toRight(s"its files are read by $format")
  }
}
