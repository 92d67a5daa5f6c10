package hiveacid.formats.json

import java.nio.charset.StandardCharsets

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}

/** Hive 4's reading of values without parts that are not NULL, where its releases differ. */
private[hiveacid] sealed trait Hive4Scalars {
  def mapper: ObjectMapper
  def boolean(node: JsonNode): Boolean
  def binary(node: JsonNode): Array[Byte]

  final def int(node: JsonNode): Int =
    if (node.isTextual) LooseNumbers.toInt(node.textValue)
    else if (node.isBoolean) if (node.booleanValue) 1 else 0
    else numberAsInt(node)

  final def long(node: JsonNode): Long =
    if (node.isTextual) LooseNumbers.toLong(node.textValue)
    else if (node.isBoolean) if (node.booleanValue) 1L else 0L
    else numberAsLong(node)

  final def double(node: JsonNode): Double =
    if (node.isTextual) LooseNumbers.toDouble(node.textValue)
    else if (node.isBoolean) if (node.booleanValue) 1.0 else 0.0
    else node.doubleValue

  protected def numberAsInt(node: JsonNode): Int
  protected def numberAsLong(node: JsonNode): Long
}

private[hiveacid] object Hive4Scalars {

  /** 4.1.0: numbers are exact, and lose the zeros at their end, also those before the point (`100.0` is the text
    * `1E+2`). Whole parts that are too great keep their lower bits.
    */
  object Of41 extends Hive4Scalars {
    private val base64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?".r

    override val mapper: ObjectMapper =
      new ObjectMapper(JsonLineParser.limited).enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)

    override protected def numberAsInt(node: JsonNode): Int = node.decimalValue.intValue
    override protected def numberAsLong(node: JsonNode): Long = node.decimalValue.longValue

    /** Text is true unless it says false; so is every number that is not written as the whole number 0. */
    override def boolean(node: JsonNode): Boolean =
      if (node.isTextual) !node.textValue.equalsIgnoreCase("false") && node.textValue.trim != "false"
      else if (node.isIntegralNumber) node.bigIntegerValue.signum != 0
      else !node.isBoolean || node.booleanValue

    /** A text that looks like Base64 is taken for it, whatever the table's property says; others as they are. */
    override def binary(node: JsonNode): Array[Byte] =
      if (node.isTextual && base64.pattern.matcher(node.textValue).matches) node.binaryValue
      else node.asText.getBytes(StandardCharsets.UTF_8)
  }

  /** 4.0.1: numbers with a fraction or an exponent are DOUBLEs, and cut to the range of the type. */
  final class Of40(isRawBinary: Boolean) extends Hive4Scalars {
    override val mapper: ObjectMapper = new ObjectMapper(JsonLineParser.limited)

    override protected def numberAsInt(node: JsonNode): Int =
      if (node.isFloatingPointNumber) node.doubleValue.toInt else node.bigIntegerValue.intValue

    override protected def numberAsLong(node: JsonNode): Long =
      if (node.isFloatingPointNumber) node.doubleValue.toLong else node.bigIntegerValue.longValue

    /** False is all that does not say true and is not a whole number other than 0. */
    override def boolean(node: JsonNode): Boolean =
      if (node.isTextual) node.textValue.trim == "true"
      else if (node.isIntegralNumber) node.bigIntegerValue.signum != 0
      else node.booleanValue

    /** Text is read by the table's property. A number or truth value is NULL, or an error if it is to be raw. */
    override def binary(node: JsonNode): Array[Byte] =
      if (!isRawBinary) node.binaryValue
      else if (node.isTextual) node.textValue.getBytes(StandardCharsets.UTF_8)
      else throw new JsonLineException("a BINARY is expected as text")
  }
}
