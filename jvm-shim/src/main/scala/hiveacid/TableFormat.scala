package hiveacid

import java.util.Locale

import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.mapreduce.Job

import org.apache.spark.sql.{SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

/** A reader of ours, by which a relation of Spark's file sources is known to be a transactional table. */
trait TransactionalFileFormat extends FileFormat {

  /** `db.table`, for errors. */
  def table: String

  override def inferSchema(s: ApiSession, o: Map[String, String], f: Seq[FileStatus]): Option[StructType] = None

  override def prepareWrite(s: ApiSession, job: Job, o: Map[String, String], d: StructType): OutputWriterFactory =
    throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"A plain file write into $table was planned"))
}

/** A reader that is asked for parts of structs, and cuts texts to the length of CHAR and VARCHAR itself. */
trait ReaderOfParts extends TransactionalFileFormat {

  /** The table's columns with CHAR and VARCHAR, which Spark keeps in the metadata of STRING columns and loses where it
    * reads parts of a struct only.
    */
  def columns: StructType

  /** The schema that Spark asks for, maybe with parts of structs only, with that metadata. */
  final protected def withLengths(schema: StructType): StructType = StructType(schema.map { field =>
    columns.find(_.name.equalsIgnoreCase(field.name)).fold(field)(c => field.copy(metadata = c.metadata))
  })
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
      new orc.AcidOrcFileFormat(AcidTables.name(t), zone(session), t.dataSchema)
  }

  /** Files of an insert-only table, with the table's columns alone. */
  case object FlatOrc extends TableFormat("ORC", isWritten = true) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new orc.FlatOrcFileFormat(AcidTables.name(t), zone(session), t.dataSchema)
  }

  case object Parquet extends TableFormat("PARQUET", isWritten = true) {
    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat =
      new parquet.TableParquetFileFormat(AcidTables.name(t), zone(session), t.dataSchema)
  }

  /** Lines of text, each an object of JSON. */
  case object Json extends TableFormat("JSONFILE", isWritten = false) {

    /** Of Hive; Spark has no such class. */
    val Serde = "org.apache.hadoop.hive.serde2.JsonSerDe"

    override def reader(session: SparkSession, t: CatalogTable): TransactionalFileFormat = {
      val name = AcidTables.name(t)
      if (t.dataSchema.isEmpty)
        throw AcidException.unsupportedTable("Access", name, s"Spark's Hive client lacks $Serde and finds no columns")
      val properties = json.SerdeProperties
        .of(t)
        .fold(reason => throw AcidException.unsupportedTable("Access", name, reason), identity)
      new json.TableJsonFileFormat(name, zone(session), properties)
    }
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
    else if (word == "TEXTINPUTFORMAT" && t.storage.serde.contains(Json.Serde)) Right(Json)
    else
      t.storage.serde.filterNot(isHere) match {
        case Some(absent) => Left(s"its files are read by $absent, which Spark does not have")
        case None         => serdes.get(word).toRight(s"its files are read by $format")
      }
  }

  private def isHere(name: String): Boolean =
    try Class.forName(name, false, Thread.currentThread.getContextClassLoader) != null
    catch { case _: ClassNotFoundException | _: LinkageError => false }
}
