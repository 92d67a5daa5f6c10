package hiveacid.formats.orc

import hiveacid.formats.ValueUse

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  FileSourceGeneratedMetadataStructField,
  FileSourceMetadataAttribute
}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types._

/** Reads the files of a transactional table as a table of its own columns, inside Spark's file scan.
  *
  * The file index tells each file what concerns it, by [[AcidOrcFileFormat.DeletesKey]],
  * [[AcidOrcFileFormat.DeletesCheckKey]], [[AcidOrcFileFormat.CheckKey]], [[AcidOrcFileFormat.RawKey]],
  * [[Evolution.Key]] and [[AcidOrcFileFormat.WriteIdsKey]]. The files that a snapshot holds are not chosen here.
  *
  * @param table
  *   `db.table`, for errors
  */
class AcidOrcFileFormat(
    val table: String,
    val timeZone: String,
    val columns: StructType,
    val use: ValueUse = ValueUse.Shown
) extends TableOrcFileFormat(isFlat = false) {
  import AcidOrcFileFormat._

  override def toString: String = "HiveACID"
  override def shortName(): String = "hive-acid-orc"
  override protected def readerKey: Any = (table, timeZone, columns, use)

  override def usedFor(use: ValueUse): AcidOrcFileFormat = new AcidOrcFileFormat(table, timeZone, columns, use)

  /** The hidden struct column ROW__ID, whose fields are made by the reader. */
  override def createFileMetadataCol(): AttributeReference =
    FileSourceMetadataAttribute(FileFormat.METADATA_NAME, StructType(metadataSchemaFields), nullable = false)
      .withName(RowIdColumn)

  override def metadataSchemaFields: Seq[StructField] = Seq(
    FileSourceGeneratedMetadataStructField("writeid", WriteIdField, LongType, nullable = true),
    FileSourceGeneratedMetadataStructField("bucketid", BucketIdField, IntegerType, nullable = true),
    FileSourceGeneratedMetadataStructField("rowid", RowIdField, LongType, nullable = true)
  )
}

object AcidOrcFileFormat {

  /** Key of a file's constant metadata: the delete files that concern it, see [[Deletes]]. Absent: none. */
  val DeletesKey = "hiveacid.deletes"

  /** Key of a file's constant metadata: the write-ID list to check deletes with. Absent: all of them count. */
  val DeletesCheckKey = "hiveacid.deletes.check"

  /** Key of a file's constant metadata: the write-ID list to check each row with. Absent: all rows are visible. */
  val CheckKey = "hiveacid.check"

  /** Key of a file's constant metadata: it has no ACID columns, but these IDs, see [[RawRows]]. Absent: it has them. */
  val RawKey = "hiveacid.raw"

  /** Key of a file's constant metadata: least and greatest write ID of its folder, see [[PlaceCheck]]. */
  val WriteIdsKey = "hiveacid.writeIds"

  /** Key of a file's constant metadata: rows are read that are no inserts, too. Absent: they are an error. */
  val AnyOperationKey = "hiveacid.anyOperation"

  val RowIdColumn = "ROW__ID"

  // how the reader is asked for the parts of ROW__ID
  private val WriteIdField = "__hiveacid_writeid"
  private val BucketIdField = "__hiveacid_bucketid"
  private val RowIdField = "__hiveacid_rowid"

  /** Internal names of the parts of ROW__ID, and the column of the file each is. */
  private[hiveacid] val idColumns: Map[String, Int] = Map(
    WriteIdField -> FileSchema.OriginalTransaction,
    BucketIdField -> FileSchema.Bucket,
    RowIdField -> FileSchema.RowId
  )
}
