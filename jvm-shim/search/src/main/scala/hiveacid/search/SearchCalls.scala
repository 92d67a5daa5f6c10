package hiveacid.search

import hiveacid.values.PartitionValues
import hiveacid.wire.{SearchedFile, SearchSpec, Wire}
import org.apache.commons.codec.binary.Hex

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{RowAccess, SearchAccess}
import org.apache.spark.sql.types.{CharType, IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** The searches that Python calls. They work by the settings of the session they are given.
  *
  * @param rowsOf
  *   the stored rows of a session's tables
  */
abstract class SearchCalls(rowsOf: SparkSession => StoredRows) {
  private val PartitionNumber = "hive_acid_partition_number"

  /** See [[PinnedSession]]; the arguments are JSON. */
  def pin(session: SparkSession, families: String, kept: String, fixed: String): SparkSession =
    PinnedSession.beside(
      session,
      Wire.read[Seq[String]](families),
      Wire.read[Seq[String]](kept),
      Wire.read[Map[String, String]](fixed)
    )

  /** Marks of the subjects that are spelled with them, for the membership of these. */
  def newPrints(): SubjectPrints = new SubjectPrints

  /** See [[SubjectFunctions]]; `hashes` stand one behind the other. */
  def registerMembership(
      session: SparkSession,
      name: String,
      secret: Array[Byte],
      hashes: Array[Byte],
      prints: SubjectPrints
  ): Unit = SubjectFunctions.registerMembership(session, name, secret, hashes, prints)

  /** See [[SubjectFunctions]]. */
  def registerHash(session: SparkSession, name: String, secret: Array[Byte]): Unit =
    SubjectFunctions.registerHash(session, name, secret)

  /** See [[SubjectFunctions]]. */
  def registerQuiet(session: SparkSession, name: String): Unit = SubjectFunctions.registerQuiet(session, name)

  /** Forgets the functions of these names, a JSON array. */
  def drop(session: SparkSession, names: String): Unit = SubjectFunctions.drop(session, Wire.read[Seq[String]](names))

  /** The keyed hash of each subject in hexadecimal, null for one that the key's types cannot spell, a JSON array.
    *
    * @param table
    *   as in SQL
    * @param subjects
    *   a JSON array of arrays of texts
    */
  def spell(
      session: SparkSession,
      secret: Array[Byte],
      table: String,
      parts: String,
      subjects: String,
      prints: SubjectPrints
  ): String = SearchAccess.within(session) {
    val spelling = SubjectSpelling(rowsOf(session), describe(session, table), Wire.read[Seq[String]](parts))
    val hash = new KeyedHash(secret)
    val all = Wire.read[Seq[Seq[String]]](subjects)
    Wire.write(
      all.map(subject =>
        spelling.spell(subject).map { found =>
          val text = Hex.encodeHexString(hash.of(found))
          prints.keep(text, found)
          text
        }
      )
    )
  }

  /** The types of a key of these parts, a JSON array; a KeyDescription.
    *
    * @param table
    *   as in SQL
    */
  def describeKey(session: SparkSession, table: String, parts: String): String = SearchAccess.within(session) {
    Wire.write(KeyTypes(rowsOf(session), describe(session, table), Wire.read[Seq[String]](parts)).describe)
  }

  /** The values that the names of partitions stand for, as `CAST(… AS STRING)` shows them; a JSON array of arrays. */
  def partitionTexts(session: SparkSession, table: String, names: String): String = SearchAccess.within(session) {
    val t = describe(session, table)
    val zone = session.sessionState.conf.sessionLocalTimeZone
    val values = PartitionValues(t, zone)
    Wire.write(Wire.read[Seq[String]](names).map { name =>
      values.of(name).toSeq(t.partitionSchema).zip(t.partitionSchema).map { case (value, field) =>
        Option(Cast(Literal(value, field.dataType), StringType, Some(zone)).eval()).map(_.toString)
      }
    })
  }

  /** See [[ValueJudge]]; the answers are a JSON array of true, false and null.
    *
    * @param conditions
    *   a JSON array of SQL conditions
    * @param rows
    *   a JSON array of objects: texts by column
    */
  def judgeValues(session: SparkSession, table: String, conditions: String, rows: String): String =
    SearchAccess.within(session) {
      val texts = Wire.read[Seq[Map[String, String]]](rows)
      Wire.write(ValueJudge.judge(rowsOf(session), table, Wire.read[Seq[String]](conditions), texts))
    }

  /** Chooses the partitions that meet a condition over partition columns; `names` and the answer are JSON arrays of
    * names. These may be those of subjects, and stand in no text and in no plan that is shown. CHAR is padded as in
    * scans.
    *
    * Raises Spark's AnalysisException if the condition is none over partition columns.
    */
  def choosePartitions(
      session: SparkSession,
      table: String,
      condition: String,
      names: String
  ): String = SearchAccess.within(session) {
    val t = describe(session, table)
    val values = PartitionValues(t, session.sessionState.conf.sessionLocalTimeZone)
    val given = Wire.read[Seq[String]](names)
    val schema = t.partitionSchema.add(PartitionNumber, IntegerType, nullable = false)
    val rows = given.zipWithIndex.map { case (name, number) =>
      InternalRow.fromSeq(pad(t.partitionSchema, values.of(name)) :+ number)
    }
    val quiet = QuietValue(session.sessionState.sqlParser.parseExpression(condition), "quiet")
    val frame = RowAccess.frame(session, Filter(quiet, LocalRelation(DataTypeUtils.toAttributes(schema), rows)))
    Wire.write(frame.select(PartitionNumber).collect().toSeq.map(row => given(row.getInt(0))))
  }

  private def pad(schema: StructType, values: InternalRow): Seq[Any] =
    values.toSeq(schema).zip(CharVarcharUtils.getRawSchema(schema)).map { case (value, field) =>
      (value, field.dataType) match {
        case (text: UTF8String, c: CharType) => text.rpad(c.length, UTF8String.fromString(" "))
        case _                               => value
      }
    }

  /** Searches files; `spec` is a SearchSpec, the answer an array of SearchResult. */
  def search(session: SparkSession, spec: String): String = SearchAccess.within(session) {
    Wire.write(SearchJob.run(rowsOf(session), Wire.read[SearchSpec](spec)))
  }

  /** The SHA-256 of each file in hexadecimal, null for one that is not as it was listed; a JSON array. `files` is one
    * of SearchedFile.
    */
  def digests(session: SparkSession, files: String): String =
    Wire.write(DigestJob.run(session, Wire.read[Seq[SearchedFile]](files)))

  private def describe(session: SparkSession, table: String): CatalogTable =
    RowAccess.withNulls(StoredRows.describe(session, table))
}
