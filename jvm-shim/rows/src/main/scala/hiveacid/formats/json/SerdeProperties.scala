package hiveacid.formats.json

import java.util.Locale

import hiveacid.errors.{Refusal}

import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** The properties of a table for JsonSerDe of Hive 4; that of 3.1.3 knows none of them.
  *
  * @param ignoresUnknownKeys
  *   otherwise a key for which there is no column is an error
  * @param takesEmptyLines
  *   as rows of NULLs; otherwise they are errors
  * @param stringifies
  *   an object or array where text is expected becomes its JSON; otherwise it is an error
  * @param isRawBinary
  *   a BINARY is the text itself, otherwise Base64; Hive 4.1 does not look
  */
final case class SerdeProperties(
    ignoresUnknownKeys: Boolean = true,
    takesEmptyLines: Boolean = false,
    stringifies: Boolean = true,
    isRawBinary: Boolean = false
)

object SerdeProperties {
  val IgnoreExtra = "text.ignore.extra.fields"
  val NullEmptyLines = "text.null.empty.line"
  val Stringify = "json.stringify.complex.fields"
  val BinaryFormat = "json.binary.format"

  private val known = Seq(IgnoreExtra, NullEmptyLines, Stringify, BinaryFormat)

  /** These change which lines or values there are, in ways that are not known here. */
  private val refused = Seq(
    "timestamp.formats",
    "skip.header.line.count",
    "skip.footer.line.count",
    "textinputformat.record.delimiter",
    "serialization.encoding"
  )
  private val harmless = Set("", "0")

  /** Hive's fetches put the table's own properties before those of its SerDe, and its jobs do not (seen with 4.1.0).
    *
    * @return
    *   them, or why the table is not read
    */
  def of(t: CatalogTable): Either[Refusal, SerdeProperties] = {
    val all = t.storage.properties ++ t.properties
    val binary = all.get(BinaryFormat).map(_.toUpperCase(Locale.ROOT))
    def flag(key: String, default: Boolean) = all.get(key).fold(default)(_.equalsIgnoreCase("true"))
    def isTwofold(key: String) = t.storage.properties.get(key).exists(value => all(key) != value)
    if (!binary.forall(Set("BASE64", "RAWSTRING"))) {
      val found = Map("key" -> BinaryFormat, "value" -> all(BinaryFormat))
      Left(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.JSON_BINARY_FORMAT", found))
    } else
      known
        .find(isTwofold)
        .map { key =>
          val found = Map("key" -> key, "value" -> t.properties(key), "serdeValue" -> t.storage.properties(key))
          Refusal("HIVE_ACID_UNSUPPORTED_TABLE.JSON_PROPERTY_TWICE", found)
        }
        .orElse(refused.find(key => all.get(key).exists(v => !harmless(v.trim))).map { key =>
          Refusal("HIVE_ACID_UNSUPPORTED_TABLE.JSON_PROPERTY", Map("key" -> key))
        })
        .toLeft(
          SerdeProperties(
            ignoresUnknownKeys = flag(IgnoreExtra, default = true),
            takesEmptyLines = flag(NullEmptyLines, default = false),
            stringifies = flag(Stringify, default = true),
            isRawBinary = binary.contains("RAWSTRING")
          )
        )
  }
}
