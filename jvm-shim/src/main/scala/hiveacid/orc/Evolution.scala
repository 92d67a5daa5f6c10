package hiveacid.orc

import com.fasterxml.jackson.databind.JsonNode

/** How files are read that are older than a change of their table's columns.
  *
  * @param byPosition
  *   whether the table's columns are found by position, otherwise by name
  * @param asHive3
  *   whether values become what they become in Hive 3.1, see [[Hive3Conversions]]
  */
final case class Evolution(byPosition: Boolean = false, asHive3: Boolean = false) {

  /** The text that `parse` takes. */
  def format: String = s"$byPosition,$asHive3"
}

object Evolution {
  def parse(text: String): Evolution = text.split(',') match {
    case Array(byPosition, asHive3) => Evolution(byPosition.toBoolean, asHive3.toBoolean)
    case _                          => throw new IllegalArgumentException(s"'$text' is no evolution")
  }

  /** From `{"byPosition", "asHive3"}`. */
  def of(json: JsonNode): Evolution = Evolution(json.get("byPosition").asBoolean, json.get("asHive3").asBoolean)
}
