package hiveacid.formats.json

import java.time.DateTimeException
import java.util.{LinkedHashMap, Locale}

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.TextNode

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** JsonSerDe of Hive 4 (`HiveJsonReader`): the line is a tree of JSON first, in which the last of equal keys counts, at
  * the place of the first. All that follows it on the line is passed over. A line that says NULL is a row of NULLs.
  */
private[hiveacid] class Hive4Parser(
    scalars: Hive4Scalars,
    properties: SerdeProperties,
    target: Target.Record,
    values: Values
) extends JsonLineParser {
  private val mapper = scalars.mapper

  override def parse(bytes: Array[Byte], length: Int): InternalRow = {
    val node = mapper.readTree(bytes, 0, length)
    if (node.isNull) values.row(new Array[Any](target.width)) else record(node, target)
  }

  private def value(node: JsonNode, target: Target): Any =
    if (node.isNull) null
    else
      target match {
        case Target.Leaf(t)          => leaf(node, t)
        case r: Target.Record        => record(node, r)
        case Target.Items(element)   => items(node, element)
        case Target.Entries(key, of) => entries(node, key, of)
      }

  private def record(node: JsonNode, target: Target.Record): InternalRow = {
    if (!node.isObject) throw new JsonLineException(s"an object is expected and ${kind(node)} found")
    val found = new Array[Any](target.width)
    node.properties.asScala.foreach { field =>
      val i = find(target, field.getKey)
      if (i >= 0) target.fields(i).foreach(of => found(target.slots(i)) = value(field.getValue, of))
    }
    values.row(found)
  }

  /** A field is found by name, by `_colN` and by a number as the N-th one, counted from 0: so does Hive. */
  private def find(target: Target.Record, key: String): Int = key match {
    case Hive4Parser.Internal(number) =>
      val i = number.toInt
      if (i >= target.names.length) throw new JsonLineException(s"there is no column for the key $key")
      i
    case _ =>
      val named = target.find(key.toLowerCase(Locale.ROOT))
      val i = if (named >= 0) named else Try(key.toLowerCase(Locale.ROOT).toInt).getOrElse(-1)
      if (i >= 0 && i < target.names.length) i
      else if (properties.ignoresUnknownKeys) -1
      else
        throw new JsonLineException(
          s"there is no column for the key $key, which ${SerdeProperties.IgnoreExtra} forbids"
        )
  }

  private def items(node: JsonNode, element: Target): Any = {
    if (!node.isArray) throw new JsonLineException(s"an array is expected and ${kind(node)} found")
    values.array(node.elements.asScala.map(value(_, element)).toArray[Any])
  }

  private def entries(node: JsonNode, key: Target.Leaf, of: Target): Any = {
    if (!node.isObject) throw new JsonLineException(s"an object is expected and ${kind(node)} found")
    val found = new LinkedHashMap[Any, Any]
    node.properties.asScala.foreach { field =>
      values.put(found, leaf(new TextNode(field.getKey), key.hive), key.hive, value(field.getValue, of))
    }
    values.map(found)
  }

  private def leaf(node: JsonNode, t: DataType): Any = {
    if (node.isContainerNode && t != StringType)
      throw new JsonLineException(s"a value of type ${t.sql} is expected and ${kind(node)} found")
    t match {
      case IntegerType                      => scalars.int(node)
      case ByteType                         => scalars.int(node).toByte
      case ShortType                        => scalars.int(node).toShort
      case LongType                         => scalars.long(node)
      case BooleanType                      => scalars.boolean(node)
      case FloatType                        => scalars.double(node).toFloat
      case DoubleType                       => scalars.double(node)
      case StringType                       => string(node)
      case BinaryType                       => scalars.binary(node)
      case DateType                         => values.date(HiveTimes.Of4.date(node.asText))
      case d: DecimalType                   => decimal(node, d)
      case v: VarcharType                   => values.varchar(node.asText, v.length)
      case c: CharType                      => values.char(node.asText, c.length)
      case TimestampType | TimestampNTZType => timestamp(node.asText, t)
      case other => throw new UnheldException("HIVE_ACID_UNSUPPORTED_LAYOUT.JSON_VALUE_TYPE", Map("type" -> other.sql))
    }
  }

  private def string(node: JsonNode): Any =
    if (node.isValueNode) values.string(node.asText)
    else if (properties.stringifies) values.string(node.toString)
    else throw new JsonLineException(s"${SerdeProperties.Stringify} forbids ${kind(node)} where text is expected")

  private def decimal(node: JsonNode, t: DecimalType): Any = {
    def isBlank(c: Char) = Hive4Parser.Blanks.indexOf(c) >= 0
    values.decimal(node.asText.dropWhile(isBlank).reverse.dropWhile(isBlank).reverse, t)
  }

  /** NULL for a text that is no timestamp. */
  private def timestamp(text: String, t: DataType): Any = {
    val wall =
      try HiveTimes.Of4.timestamp(text)
      catch { case _: DateTimeException => null }
    if (wall == null) null else values.timestamp(wall, t)
  }

  private def kind(node: JsonNode): String =
    if (node.isMissingNode) "nothing" else node.getNodeType.toString.toLowerCase(Locale.ROOT)
}

private[hiveacid] object Hive4Parser {
  private val Internal = "_col([0-9]+)".r

  /** Around a DECIMAL. */
  private val Blanks = " \t\u000b\f"
}
