package hiveacid.formats.json

/** Numbers out of text where text that is none is zero, as `JsonNode.asInt`, `asLong` and `asDouble` of the Jackson
  * inside of Hive 4.1.0 take it. Other releases of Jackson need not agree.
  */
object LooseNumbers {

  def toInt(text: String): Int = whole(text, 0)(_.toInt, _.toInt)

  def toLong(text: String): Long = whole(text, 0L)(_.toLong, _.toLong)

  def toDouble(text: String): Double = orElse(0.0)(java.lang.Double.parseDouble(text.trim))

  /** A number of digits alone must fit the type, or is zero; others are cut to the type's range. */
  private def whole[T](text: String, zero: T)(exact: String => T, cut: Double => T): T = {
    val trimmed = text.trim
    val signed = trimmed.stripPrefix("+")
    val digits = if (signed.length == trimmed.length) signed.stripPrefix("-") else signed
    if (digits.forall(c => c >= '0' && c <= '9')) orElse(zero)(exact(signed))
    else orElse(zero)(cut(java.lang.Double.parseDouble(signed)))
  }

  private def orElse[T](zero: T)(parse: => T): T =
    try parse
    catch { case _: NumberFormatException => zero }
}
