package hiveacid.wire

import com.fasterxml.jackson.databind.annotation.{JsonDeserialize, JsonSerialize}

/** The properties of a kind of statement that alters tables: a row of `ddl_kinds.json`. */
final case class DdlTraits(title: String, altersDescription: Boolean, takesPartitionsAway: Boolean)

/** A kind of statement that alters tables and not their rows, by its key in the table. */
@JsonSerialize(using = classOf[DdlKind.Writer])
@JsonDeserialize(using = classOf[DdlKind.Reader])
final case class DdlKind private (name: String) {
  def title: String = DdlKind.table(name).title
}

object DdlKind {
  final class Writer extends NameWriter[DdlKind](classOf[DdlKind], _.name)
  final class Reader extends NameReader[DdlKind](classOf[DdlKind], _.name, all)

  private lazy val table: Map[String, DdlTraits] = KindTable.load[DdlTraits]("ddl_kinds.json")

  val AddPartition: DdlKind = DdlKind("add_partition")
  val DropPartition: DdlKind = DdlKind("drop_partition")
  val RenamePartition: DdlKind = DdlKind("rename_partition")
  val AlterColumns: DdlKind = DdlKind("alter_columns")
  val RenameTable: DdlKind = DdlKind("rename_table")
  val SetProperties: DdlKind = DdlKind("set_properties")
  val Convert: DdlKind = DdlKind("convert")
  val ConvertToInsertOnly: DdlKind = DdlKind("convert_to_insert_only")
  val Analyze: DdlKind = DdlKind("analyze")
  val DropTable: DdlKind = DdlKind("drop_table")
  val DropDatabase: DdlKind = DdlKind("drop_database")

  val all: Seq[DdlKind] = Seq(
    AddPartition,
    DropPartition,
    RenamePartition,
    AlterColumns,
    RenameTable,
    SetProperties,
    Convert,
    ConvertToInsertOnly,
    Analyze,
    DropTable,
    DropDatabase
  )
}
