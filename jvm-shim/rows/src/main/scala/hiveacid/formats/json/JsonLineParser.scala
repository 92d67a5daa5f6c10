package hiveacid.formats.json

import com.fasterxml.jackson.core.{JsonFactory, StreamReadConstraints}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.hiveacid.SparkLineJson
import org.apache.spark.sql.types.StructType

/** Makes rows of lines as one release of Hive does. An object is for one thread. */
trait JsonLineParser {

  /** The row of a line that is not empty, which is the first `length` of the bytes.
    *
    * Throws what Jackson throws for what is no JSON, and [[JsonLineException]] or other RuntimeExceptions for what Hive
    * fails on as well.
    */
  def parse(bytes: Array[Byte], length: Int): InternalRow
}

object JsonLineParser {

  /** With the limits of the Jackson inside of Hive 4.0.1 and 4.1.0, beyond which it reads no line. */
  private[hiveacid] def limited: JsonFactory = SparkLineJson.factory(
    StreamReadConstraints
      .builder()
      .maxNumberLength(1000)
      .maxStringLength(20000000)
      .maxNestingDepth(1000),
    nameLength = 50000
  )

  /** Without limits but that on numbers, of which Jackson 1.9 reads no longer ones either. */
  private[hiveacid] def unlimited: JsonFactory = SparkLineJson.factory(
    StreamReadConstraints
      .builder()
      .maxNumberLength(1000)
      .maxStringLength(Int.MaxValue)
      .maxNestingDepth(Int.MaxValue),
    nameLength = Int.MaxValue
  )

  /** @param required
    *   columns to return, in this order; a line need not be right in others
    */
  def of(
      hive: HiveRelease,
      properties: SerdeProperties,
      tableSchema: StructType,
      required: StructType,
      values: Values
  ): JsonLineParser = {
    val target = Target.row(tableSchema, required)
    hive match {
      case HiveRelease.Of31 =>
        val order = required.fieldNames.map(tableSchema.fieldIndex(_))
        new Hive3Parser(Target.row(tableSchema, tableSchema), order, values)
      case HiveRelease.Of40 =>
        new Hive4Parser(new Hive4Scalars.Of40(properties.isRawBinary), properties, target, values)
      case HiveRelease.Of41 => new Hive4Parser(Hive4Scalars.Of41, properties, target, values)
    }
  }
}
