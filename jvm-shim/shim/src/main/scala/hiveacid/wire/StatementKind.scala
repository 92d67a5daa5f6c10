package hiveacid.wire

import com.fasterxml.jackson.databind.annotation.{JsonDeserialize, JsonSerialize}

/** The properties of a kind of statement: a row of `statement_kinds.json`. */
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
@JsonSerialize(using = classOf[StatementKind.Writer])
@JsonDeserialize(using = classOf[StatementKind.Reader])
final case class StatementKind private (name: String) {
  def traits: StatementTraits = StatementKind.table(name)
}

object StatementKind {
  final class Writer extends NameWriter[StatementKind](classOf[StatementKind], _.name)
  final class Reader extends NameReader[StatementKind](classOf[StatementKind], _.name, all)

  private lazy val table: Map[String, StatementTraits] = KindTable.load[StatementTraits]("statement_kinds.json")

  val Insert: StatementKind = StatementKind("insert")
  val Update: StatementKind = StatementKind("update")
  val Delete: StatementKind = StatementKind("delete")
  val Merge: StatementKind = StatementKind("merge")
  val Overwrite: StatementKind = StatementKind("overwrite")
  val Truncate: StatementKind = StatementKind("truncate")
  val Replace: StatementKind = StatementKind("replace")

  val all: Seq[StatementKind] = Seq(Insert, Update, Delete, Merge, Overwrite, Truncate, Replace)
}
