package hiveacid.wire

import java.nio.charset.StandardCharsets

/** The properties of a kind of statement: a row of `statement_kinds.json`, which Python reads too and explains. */
final case class StatementTraits(
    title: String,
    counts: Seq[String],
    changesRows: Boolean,
    keepsValues: Boolean,
    replaces: Boolean,
    hasSource: Boolean,
    isUnion: Boolean
)

/** A kind of statement that writes, by its key in the table. */
final case class StatementKind private (name: String) {
  def traits: StatementTraits = StatementKind.table(name)
}

object StatementKind {
  private lazy val table: Map[String, StatementTraits] = {
    val stream = classOf[StatementKind].getResourceAsStream("/statement_kinds.json")
    try Wire.read[Map[String, StatementTraits]](new String(stream.readAllBytes, StandardCharsets.UTF_8))
    finally stream.close()
  }

  val Insert: StatementKind = StatementKind("insert")
  val Update: StatementKind = StatementKind("update")
  val Delete: StatementKind = StatementKind("delete")
  val Merge: StatementKind = StatementKind("merge")
  val Overwrite: StatementKind = StatementKind("overwrite")
  val Truncate: StatementKind = StatementKind("truncate")
  val Replace: StatementKind = StatementKind("replace")

  val all: Seq[StatementKind] = Seq(Insert, Update, Delete, Merge, Overwrite, Truncate, Replace)
}
