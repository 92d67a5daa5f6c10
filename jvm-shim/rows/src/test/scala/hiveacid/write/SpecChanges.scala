package hiveacid.write

import hiveacid.wire.{Column, Layout, OutputJob, Place, RequiredColumn, Spread, WriteSpec}

/** The fields of a test's write job that differ from the usual. */
object SpecChanges {
  type SpecChange = WriteSpec => WriteSpec

  def staging(uri: String): SpecChange = place(_.copy(staging = uri))
  def writeId(id: Long): SpecChange = place(_.copy(writeId = id))
  def statementId(id: Int): SpecChange = place(_.copy(statementId = id))
  val overwrites: SpecChange = place(_.copy(overwrites = true))
  def output(job: OutputJob): SpecChange = place(_.copy(output = job))
  val discards: SpecChange = place(_.copy(discards = true))
  def cores(number: Int): SpecChange = spread(_.copy(cores = number))
  def victimBuckets(number: Int): SpecChange = spread(_.copy(victimBuckets = number))
  def maxBuckets(number: Int): SpecChange = spread(_.copy(maxBuckets = number))
  val splitsBuckets: SpecChange = spread(_.copy(splitsBuckets = true))
  val keepsBuckets: SpecChange = spread(_.copy(keepsBuckets = true))
  val shufflesNoInserts: SpecChange = spread(_.copy(shufflesInserts = false))
  def compression(name: String): SpecChange = layout(_.copy(compression = name))

  /** One partition column, a string. */
  def partitionedBy(column: String): SpecChange = layout(_.copy(partitionColumns = Seq(Column(column, "string"))))
  def required(column: String, position: Int): SpecChange = _.copy(required = Seq(RequiredColumn(column, position)))

  private def place(change: Place => Place): SpecChange = spec => spec.copy(place = change(spec.place))
  private def spread(change: Spread => Spread): SpecChange = spec => spec.copy(spread = change(spec.spread))
  private def layout(change: Layout => Layout): SpecChange = spec => spec.copy(layout = change(spec.layout))
}
