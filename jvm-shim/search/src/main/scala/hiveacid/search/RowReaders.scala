package hiveacid.search

import hiveacid.formats.TransactionalFileFormat
import hiveacid.formats.orc.{AcidOrcFileFormat, FlatOrcFileFormat}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.hiveacid.RelationOfFiles
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType

/** The kind of content that a file has by its bytes, whatever its table says. */
sealed trait FileContent

object FileContent {

  /** ORC with the six columns of a full ACID table. */
  case object AcidOrc extends FileContent

  /** ORC with a table's columns alone. */
  case object FlatOrc extends FileContent

  /** The same whose columns are named by their positions, as `_col0`. */
  case object UnnamedOrc extends FileContent
  case object Parquet extends FileContent
}

/** How the files of a table are read by what they hold; None where nobody here reads such files as rows of it. The
  * values are those that a SELECT of the table shows.
  *
  * A reader of Spark's keeps the schema that it asks ORC for in a configuration that all its tasks share
  * (OrcUtils.orcResultSchemaString). For unnamed columns it is another schema: a task that reads such a file makes the
  * task beside it read other columns. So these have a reader of their own.
  */
final case class RowReaders(
    acidOrc: Option[PartitionedFile => Iterator[InternalRow]],
    flatOrc: Option[PartitionedFile => Iterator[InternalRow]],
    unnamedOrc: Option[PartitionedFile => Iterator[InternalRow]],
    parquet: Option[PartitionedFile => Iterator[InternalRow]]
) {
  def of(content: FileContent): Option[PartitionedFile => Iterator[InternalRow]] = content match {
    case FileContent.AcidOrc    => acidOrc
    case FileContent.FlatOrc    => flatOrc
    case FileContent.UnnamedOrc => unnamedOrc
    case FileContent.Parquet    => parquet
  }
}

object RowReaders {

  /** @param required
    *   columns of the files; those of partitions follow them in each row
    * @param byPosition
    *   whether columns of plain ORC files are found by position: Spark's own reader, which goes by name, then refuses
    *   files that have more columns than the table. Files of transactional tables say it of themselves
    */
  def of(
      session: SparkSession,
      relation: LogicalPlan,
      t: CatalogTable,
      required: StructType,
      byPosition: Boolean
  ): RowReaders = {
    val (name, zone) = (AcidTable.name(t), session.sessionState.conf.sessionLocalTimeZone)
    def ours(format: FileFormat) = opened(format, Map.empty, t.dataSchema, t.partitionSchema)
    def flat = ours(new FlatOrcFileFormat(name, zone, t.dataSchema))
    def opened(format: FileFormat, options: Map[String, String], all: StructType, partitions: StructType) =
      Some(open(session, format, options, all, partitions, required))
    relation match {
      case RelationOfFiles(_, fs) if !fs.fileFormat.isInstanceOf[TransactionalFileFormat] =>
        def read = opened(fs.fileFormat, fs.options, fs.dataSchema, fs.partitionSchema)
        fs.fileFormat match {
          case _: OrcFileFormat if byPosition => RowReaders(None, flat, flat, None)
          case _: OrcFileFormat               => RowReaders(None, read, read, None)
          case _: ParquetFileFormat           => RowReaders(None, None, None, read)
          case _                              => RowReaders(None, None, None, None)
        }
      case RelationOfFiles(_, fs) =>
        val rows = flat
        RowReaders(
          ours(new AcidOrcFileFormat(name, zone, t.dataSchema)),
          rows,
          rows,
          if (fs.fileFormat.isInstanceOf[ParquetFileFormat]) ours(fs.fileFormat) else None
        )
      case _ => RowReaders(None, None, None, None)
    }
  }

  private def open(
      session: SparkSession,
      format: FileFormat,
      options: Map[String, String],
      all: StructType,
      partitions: StructType,
      required: StructType
  ): PartitionedFile => Iterator[InternalRow] = {
    val rows = options + (FileFormat.OPTION_RETURNING_BATCH -> "false")
    val own = session.sessionState.newHadoopConf() // tasks in the driver are handed this very one
    format.buildReaderWithPartitionValues(session, all, partitions, required, Nil, rows, own)
  }
}
