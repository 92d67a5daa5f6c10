package hiveacid.formats.json

import java.nio.charset.StandardCharsets
import java.util.{LinkedHashMap, Locale}

import scala.collection.mutable.ArrayBuffer

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.core.JsonToken._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** JsonSerDe of Hive 3.1.3, on Jackson 1.9: values are taken as they come, the last of equal keys counts, and whatever
  * follows the object on the line is passed over. A line that is cut off is refused, whatever Hive reads of it, for it
  * goes on with bytes of a line before. So is an object or array where text is expected: Hive takes its bracket for the
  * text, and what follows for other columns. Therefore all columns are read, whichever are asked for.
  *
  * @param target
  *   all columns
  * @param order
  *   which of them the row is to have
  */
private[hiveacid] class Hive3Parser(target: Target.Record, order: Array[Int], values: Values) extends JsonLineParser {
  private val factory = JsonLineParser.unlimited

  override def parse(bytes: Array[Byte], length: Int): InternalRow = {
    val parser = factory.createParser(bytes, 0, length)
    try {
      if (parser.nextToken() != START_OBJECT) throw new JsonLineException("it does not begin with an object")
      val found = fields(parser, target)
      values.row(order.map(found(_)))
    } finally parser.close()
  }

  /** The fields, behind the beginning of the object. */
  private def fields(p: JsonParser, target: Target.Record): Array[Any] = {
    val found = new Array[Any](target.width)
    while (next(p) != END_OBJECT) {
      val key = p.currentName
      // the table's spelling is not in lower case inside of a struct: such a field is never found
      val i = target.findExactly(key.toLowerCase(Locale.ROOT))
      if (i < 0 && Hive3Parser.isInternal(key)) throw new JsonLineException(s"there is no column for the key $key")
      val token = next(p)
      target.fields.lift(i).flatten match {
        case Some(of) => found(target.slots(i)) = value(p, token, of)
        case None     => p.skipChildren()
      }
    }
    found
  }

  private def value(p: JsonParser, token: JsonToken, target: Target): Any =
    if (token == VALUE_NULL) null
    else
      target match {
        case Target.Leaf(t)          => leaf(p, token, t)
        case r: Target.Record        => expect(token, START_OBJECT); values.row(fields(p, r))
        case Target.Items(element)   => expect(token, START_ARRAY); items(p, element)
        case Target.Entries(key, of) => expect(token, START_OBJECT); entries(p, key, of)
      }

  private def items(p: JsonParser, element: Target): Any = {
    val found = ArrayBuffer.empty[Any]
    var token = next(p)
    while (token != END_ARRAY) {
      found += value(p, token, element)
      token = next(p)
    }
    values.array(found.toArray)
  }

  private def entries(p: JsonParser, key: Target.Leaf, of: Target): Any = {
    val found = new LinkedHashMap[Any, Any]
    while (next(p) != END_OBJECT) {
      val name = keyOf(p.currentName, key.hive)
      // to Hive two arrays of bytes are never the same key
      if (key.hive == BinaryType && found.containsKey(Values.key(name)))
        throw new UnheldException("HIVE_ACID_UNSUPPORTED_LAYOUT.JSON_KEY_TWICE")
      values.put(found, name, key.hive, value(p, next(p), of))
    }
    values.map(found)
  }

  private def leaf(p: JsonParser, token: JsonToken, t: DataType): Any = {
    if (!token.isScalarValue) throw new JsonLineException(s"a value of type ${t.sql} is expected and $token found")
    t match {
      case IntegerType => p.getIntValue
      case ByteType    => inRange(p.getIntValue, Byte.MinValue, Byte.MaxValue).toByte
      case ShortType   => inRange(p.getIntValue, Short.MinValue, Short.MaxValue).toShort
      case LongType    => p.getLongValue
      case FloatType   => p.getDoubleValue.toFloat
      case DoubleType  => p.getDoubleValue
      case BooleanType => p.getText.equalsIgnoreCase("true")
      case other       => text(p.getText, other)
    }
  }

  private def keyOf(name: String, t: DataType): Any = t match {
    case IntegerType => name.toInt
    case ByteType    => name.toByte
    case ShortType   => name.toShort
    case LongType    => name.toLong
    case FloatType   => java.lang.Float.parseFloat(name)
    case DoubleType  => java.lang.Double.parseDouble(name)
    case BooleanType => name.equalsIgnoreCase("true")
    case other       => text(name, other)
  }

  private def text(s: String, t: DataType): Any = t match {
    case StringType                       => values.string(s)
    case BinaryType                       => s.getBytes(StandardCharsets.UTF_8)
    case DateType                         => values.date(HiveTimes.Of3.date(s))
    case TimestampType | TimestampNTZType => values.timestamp(HiveTimes.Of3.timestamp(s), t)
    case d: DecimalType                   => values.decimal(s, d)
    case v: VarcharType                   => values.varchar(s, v.length)
    case c: CharType                      => values.char(s, c.length)
    case other => throw new UnheldException("HIVE_ACID_UNSUPPORTED_LAYOUT.JSON_VALUE_TYPE", Map("type" -> other.sql))
  }

  private def inRange(number: Int, least: Int, greatest: Int): Int =
    if (number >= least && number <= greatest) number
    else throw new JsonLineException(s"$number is not between $least and $greatest")

  private def expect(token: JsonToken, wanted: JsonToken): Unit =
    if (token != wanted) throw new JsonLineException(s"$wanted is expected and $token found")

  private def next(p: JsonParser): JsonToken =
    Option(p.nextToken()).getOrElse(throw new JsonLineException("it ends within an object or array"))
}

private[hiveacid] object Hive3Parser {
  private val Internal = "_col[0-9]+".r

  private def isInternal(key: String): Boolean = Internal.pattern.matcher(key.toLowerCase(Locale.ROOT)).matches
}
