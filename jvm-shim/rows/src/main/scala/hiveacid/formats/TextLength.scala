package hiveacid.formats

import hiveacid.errors.{Refusal, UnwritableValueException}

import org.apache.spark.unsafe.types.UTF8String

/** The length of a CHAR or VARCHAR column where a value is set. ORC would cut a longer text, and Parquet hold what no
  * reader shows. Spark's own check of an INSERT is left out under `spark.sql.legacy.charVarcharAsString`.
  */
object TextLength {

  /** The text as the column holds it: blanks beyond its length are none of the value, as Spark has it
    * (CharVarcharCodegenUtils).
    *
    * @throws UnwritableValueException
    *   if more is too long
    */
  def held(value: UTF8String, length: Int, typeName: String): UTF8String =
    if (value.numBytes <= length || value.numChars <= length) value
    else if (value.trimRight().numChars <= length) value.substring(0, length)
    else
      throw new UnwritableValueException(
        Refusal("HIVE_ACID_UNWRITABLE_VALUE.TEXT_TOO_LONG", Map("type" -> s"$typeName($length)"))
      )
}
