package hiveacid.api

import java.util.HexFormat

import hiveacid.scan.PartitionValues
import hiveacid.search.{KeyedHash, SearchJob, SubjectFunctions, SubjectSpelling}
import hiveacid.wire.{SearchSpec, Wire}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType

/** The methods that `hive_acid.spark.erasure_engine` calls. */
object SearchApi {

  /** See [[SubjectFunctions]]; `hashes` stand one behind the other. */
  def registerMembership(session: SparkSession, name: String, secret: Array[Byte], hashes: Array[Byte]): Unit =
    SubjectFunctions.registerMembership(session, name, secret, hashes)

  /** See [[SubjectFunctions]]. */
  def registerHash(session: SparkSession, name: String, secret: Array[Byte]): Unit =
    SubjectFunctions.registerHash(session, name, secret)

  /** Forgets the functions of these names, a JSON array. */
  def drop(session: SparkSession, names: String): Unit = SubjectFunctions.drop(session, Wire.read[Seq[String]](names))

  /** The keyed hash of each subject in hexadecimal, null for one that the key's types cannot spell, a JSON array.
    *
    * @param table
    *   as in SQL
    * @param subjects
    *   a JSON array of arrays of texts
    */
  def spell(session: SparkSession, secret: Array[Byte], table: String, parts: String, subjects: String): String = {
    val spelling = SubjectSpelling(session, describe(session, table), Wire.read[Seq[String]](parts))
    val hash = new KeyedHash(secret)
    val all = Wire.read[Seq[Seq[String]]](subjects)
    Wire.write(all.map(subject => spelling.spell(subject).map(found => HexFormat.of.formatHex(hash.of(found)))))
  }

  /** The values that the names of partitions stand for, as `CAST(… AS STRING)` shows them; a JSON array of arrays. */
  def partitionTexts(session: SparkSession, table: String, names: String): String = {
    val t = describe(session, table)
    val zone = Some(session.sessionState.conf.sessionLocalTimeZone)
    val values = PartitionValues(session, t)
    Wire.write(Wire.read[Seq[String]](names).map { name =>
      values.of(name).toSeq(t.partitionSchema).zip(t.partitionSchema).map { case (value, field) =>
        Option(Cast(Literal(value, field.dataType), StringType, zone).eval()).map(_.toString)
      }
    })
  }

  /** Searches files; `spec` is a SearchSpec, the answer an array of SearchResult. */
  def search(session: SparkSession, spec: String): String =
    Wire.write(SearchJob.run(session, Wire.read[SearchSpec](spec)))

  private def describe(session: SparkSession, table: String): CatalogTable =
    session.sessionState.catalog.getTableMetadata(session.sessionState.sqlParser.parseTableIdentifier(table))
}
