package hiveacid.formats

import hiveacid.wire

import org.apache.spark.sql.execution.datasources.PartitionedFile

/** How files are read that are older than a change of their table's columns.
  *
  * @param byPosition
  *   whether the table's columns are found by position, otherwise by name
  * @param asHive3
  *   whether values are those that Hive 3.1 shows, see [[Hive3Conversions]] and [[Calendars]]
  */
final case class Evolution(byPosition: Boolean = false, asHive3: Boolean = false) {

  /** The text that `parse` takes. */
  def format: String = s"$byPosition,$asHive3"
}

object Evolution {

  /** Key of a file's constant metadata: how it is read if it is older than the table's columns. */
  val Key = "hiveacid.evolution"

  /** That of a listed file. */
  def of(file: PartitionedFile): Evolution =
    file.otherConstantMetadataColumnValues.get(Key).fold(Evolution())(v => parse(v.toString))

  def parse(text: String): Evolution = text.split(',') match {
    case Array(byPosition, asHive3) => Evolution(byPosition.toBoolean, asHive3.toBoolean)
    case _                          => throw new IllegalArgumentException(s"'$text' is no evolution")
  }

  /** The word of Python on a table's files. */
  def of(told: wire.Evolution): Evolution = Evolution(told.byPosition, told.asHive3)
}
