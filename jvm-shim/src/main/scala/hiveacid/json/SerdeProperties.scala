package hiveacid.json

import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** What the properties of a table say to JsonSerDe of Hive 4; that of 3.1.3 knows none of them.
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

  /** These change which lines or values there are, in ways that are not known here. */
  private val refused = Seq("timestamp.formats", "skip.header.line.count", "skip.footer.line.count",
    "textinputformat.record.delimiter", "serialization.encoding")
  private val harmless = Set("", "0")

  /** A table's own properties go before those of its SerDe (MetaStoreUtils.getSchema).
    *
    * @return
    *   them, or the reason why the table is not read
    */
  def of(t: CatalogTable): Either[String, SerdeProperties] = {
    val all = t.storage.properties ++ t.properties
    def flag(key: String, default: Boolean) = all.get(key).fold(default)(_.equalsIgnoreCase("true"))
    val binary = all.get(BinaryFormat).map(_.toUpperCase(java.util.Locale.ROOT))
    refused.find(key => all.get(key).exists(v => !harmless(v.trim))) match {
      case Some(key) => Left(s"the property $key says how its JSON files are read, which is not known here")
      case None if !binary.forall(Set("BASE64", "RAWSTRING")) => Left(s"$BinaryFormat is ${all(BinaryFormat)}")
      case None =>
        Right(SerdeProperties(
          ignoresUnknownKeys = flag(IgnoreExtra, default = true),
          takesEmptyLines = flag(NullEmptyLines, default = false),
          stringifies = flag(Stringify, default = true),
          isRawBinary = binary.contains("RAWSTRING")
        ))
    }
  }
}
