package hiveacid.errors

/** Why something is refused: a sub-condition of conditions.json, as `MAIN.SUB`, and the parameters of its own part of
  * the message.
  */
final case class Refusal(condition: String, parameters: Map[String, String] = Map.empty)
