package hiveacid.write

import hiveacid.values.{DeleteKind, InsertKind, MixedKind, PartitionNames}
import hiveacid.write.buckets.{HashZones, HiveBucket}
import org.apache.orc.TypeDescription

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Alias,
  Ascending,
  Attribute,
  BitwiseAnd,
  EqualTo,
  Expression,
  GetStructField,
  If,
  IsNull,
  Literal,
  Multiply,
  Murmur3Hash,
  Pmod,
  ShiftRightUnsigned,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.DataType

/** The columns of row changes, as write tasks want them.
  *
  * @param changes
  *   see [[WriteJob.run]]
  */
final class RowChanges(changes: LogicalPlan, spec: CheckedSpec) {
  private val change +: rowId +: columns = changes.output: @unchecked
  private val isInsert = spec.kind == InsertKind

  /** The old row's partition columns come right after its ID, new ones last. */
  private val (oldKeys, values, newKeys) = {
    val keys = spec.partitionKeys.length
    val (old, rest) = columns.splitAt(if (isInsert) 0 else keys)
    val (data, latest) = rest.splitAt(rest.length - (if (isInsert || spec.kind == MixedKind) keys else 0))
    (old, data, latest)
  }

  private val partition = {
    val where = spec.kind match {
      case InsertKind => newName
      case MixedKind  => If(IsNull(rowId), newName, name(oldKeys))
      case _          => name(oldKeys)
    }
    Alias(where, "partition")()
  }
  private val writeId = Alias(GetStructField(rowId, 0), "writeid")()
  private val property = Alias(GetStructField(rowId, 1), "bucketid")()
  private val row = Alias(GetStructField(rowId, 2), "rowid")()
  private val bucket = {
    val version = ShiftRightUnsigned(property.child, Literal(29))
    val encoded = BitwiseAnd(ShiftRightUnsigned(property.child, Literal(16)), Literal(0xfff))
    val ofVictim = If(EqualTo(version, Literal(1)), encoded, property.child)
    val where = spec.kind match {
      case InsertKind if spec.isBucketed => ofNewRow
      case MixedKind if spec.isBucketed  => If(IsNull(rowId), ofNewRow, ofVictim)
      case _                             => ofVictim
    }
    Alias(where, "bucket")()
  }

  private def ofNewRow = {
    val types = TypeDescription.fromString(spec.rowType).getChildren
    val columnTypes = spec.buckets.columns.map(types.get(_).toString)
    val zones = HashZones(spec.timeZone, spec.bucketingTimeZone)
    HiveBucket(spec.buckets.columns.map(values), columnTypes, spec.buckets.version, spec.buckets.count, zones)
  }

  private val key: Seq[Alias] =
    if (isInsert) partition +: (if (spec.isBucketed) Seq(bucket) else Nil)
    else Seq(partition, bucket, writeId, property, row)

  private def name(keys: Seq[Expression]) = PartitionNames.name(keys, spec.partitionKeys, spec.timeZone, spec.table)

  /** A text that is too long for its column is Spark's error, whatever settings have left out before. */
  private def newName = name(newKeys.zip(spec.partitionKeys).map { case (value, key) =>
    CharVarcharUtils.stringLengthCheck(value, key.rawType)
  })

  def valueTypes: Seq[DataType] = values.map(_.dataType)

  /** `__change, partition`; `bucket`, but for inserts into a table that is not bucketed, where it is NULL for a new
    * row; but for inserts `writeid, bucketid, rowid`, which are NULL for a new row; then the new values.
    */
  def rows: LogicalPlan = Project(change +: key ++: values, changes)

  /** The order of the rows in a task: file after file, and delete events as Hive wants them. Spark compares a number
    * made of the first column before it looks at rows. So a hash goes before the names of partitions, which begin
    * alike, and a name that all rows have in common is left out.
    *
    * @param output
    *   the columns of `rows` as they were planned; they are taken by position, as the optimizer may have replaced them
    */
  def order(output: Seq[Attribute]): Seq[SortOrder] = {
    val (partition, rest) = keysOf(output).splitAt(1)
    val name = if (spec.isPartitioned) new Murmur3Hash(partition) +: partition else Nil
    (name ++ turnOf(rest) ++ rest).map(SortOrder(_, Ascending))
  }

  /** New versions of rows lie in the bucket that comes first, unless the table is bucketed. Another one does with each
    * write ID, so that none comes to hold them all. NULL, which comes first, for rows without a bucket.
    */
  private def turnOf(keys: Seq[Attribute]): Seq[Expression] =
    if (isInsert || spec.keepsBuckets || spec.kind == DeleteKind) Nil
    else {
      val turn = new Murmur3Hash(Seq(keys.head, Literal(spec.place.writeId)))
      Seq(If(IsNull(keys.head), Literal(null, turn.dataType), turn))
    }

  /** The partition of the shuffle that a row goes to. It depends on nothing but the row, so that a task that runs again
    * sends each row to where it went before, and so that changes of one row meet. `output` as in `order`.
    */
  def shuffleTo(spread: TaskShares, output: Seq[Attribute]): Expression = {
    def hash(columns: Seq[Expression], number: Int) = Pmod(new Murmur3Hash(columns), Literal(number))
    def ofBucket(partition: Attribute, bucket: Attribute) =
      if (spec.isPartitioned) hash(Seq(partition, bucket), spread.groups) else Pmod(bucket, Literal(spread.groups))
    def slotOfNew = {
      // maps cannot be hashed
      val hashed = output.drop(1 + key.length).filter(v => new Murmur3Hash(Seq(v)).checkInputDataTypes().isSuccess)
      hash(hashed, spread.slots)
    }
    val (group, slot) = keysOf(output) match {
      case Seq(partition)                                 => (hash(Seq(partition), spread.groups), slotOfNew)
      case Seq(partition, bucket)                         => (ofBucket(partition, bucket), slotOfNew)
      case Seq(partition, bucket, writeId, property, row) =>
        // neighbouring rows stay together, so that new versions lie as the old ones did
        val range = ShiftRightUnsigned(row, Literal(RowChanges.RangeBits))
        val group = ofBucket(partition, bucket)
        val slot = hash(Seq(writeId, property, range), spread.slots)
        if (spec.kind != MixedKind) (group, slot)
        else {
          val newGroup = if (spec.isBucketed) group else hash(Seq(partition), spread.groups)
          (If(IsNull(row), newGroup, group), If(IsNull(row), slotOfNew, slot))
        }
    }
    if (spread.slots == 1) group else Add(Multiply(group, Literal(spread.slots)), slot)
  }

  private def keysOf(output: Seq[Attribute]): Seq[Attribute] = output.slice(1, 1 + key.length)
}

object RowChanges {
  private val RangeBits = 12
}
