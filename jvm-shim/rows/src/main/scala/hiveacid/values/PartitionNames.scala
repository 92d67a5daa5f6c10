package hiveacid.values

import org.apache.spark.sql.catalyst.expressions.{Cast, Concat, Expression, Literal, ScalaUDF, StringRPad}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types._

/** Names of partitions as Hive 3.1.3 and 4.1.0 make them of the same values; `python/tests/interop` compares them. */
object PartitionNames {

  /** A partition column: its name in lower case, and its type with CHAR in place of STRING. */
  final case class Key(name: String, rawType: DataType)

  /** The metastore's name of the partition of `table` with these values, `k=v/…`; empty without keys. */
  def name(values: Seq[Expression], keys: Seq[Key], timeZone: String, table: String): Expression = {
    val parts = keys.zip(values).map { case (key, value) =>
      PartitionFolder(text(value, key.rawType, timeZone), key.name, table)
    }
    val separated = parts.flatMap(part => Seq(Literal("/"), part)).drop(1)
    if (separated.isEmpty) Literal("") else Concat(separated)
  }

  /** The value's text before it is escaped, NULL for NULL. Only where Hive and Spark differ it is not Spark's own. */
  def text(value: Expression, rawType: DataType, timeZone: String): Expression = {
    def plain(e: Expression) = Cast(e, StringType, Some(timeZone))
    rawType match {
      case _: DecimalType         => ScalaUDF(withoutZeros _, StringType, Seq(value))
      case FloatType | DoubleType => plain(NormalizeNaNAndZero(value))
      case c: CharType            => StringRPad(plain(value), Literal(c.length), Literal(" "))
      case _                      => plain(value)
    }
  }

  private def withoutZeros(value: java.math.BigDecimal): String =
    if (value == null) null else value.stripTrailingZeros.toPlainString
}
