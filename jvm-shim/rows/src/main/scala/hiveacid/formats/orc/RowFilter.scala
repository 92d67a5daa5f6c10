package hiveacid.formats.orc

import hiveacid.values.{BucketProperty, ValidWriteIds}
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, VectorizedRowBatch}
import org.roaringbitmap.RoaringBitmap

/** Drops deleted rows, and rows whose write ID the snapshot does not see, from the batches of one file.
  *
  * A batch costs one pass over its row IDs and one question to a bitmap, as long as nothing in their range is deleted.
  * The order of rows is not trusted: files of other writers may be unsorted.
  *
  * @param batch
  *   has the six ACID columns
  * @param deletes
  *   null if no delete concerns the file
  * @param valid
  *   null if every write ID in the file is visible
  */
final class RowFilter(batch: VectorizedRowBatch, deletes: Deletes, valid: ValidWriteIds, selection: Selection) {
  private def column(i: Int) = batch.cols(i).asInstanceOf[LongColumnVector]
  private val writeIds = column(FileSchema.OriginalTransaction)
  private val properties = column(FileSchema.Bucket)
  private val rowIds = column(FileSchema.RowId)
  private val currentIds = column(FileSchema.CurrentTransaction)
  private val dropped = new Array[Boolean](batch.getMaxSize)
  private var count = 0

  /** Sets the selection for the batch as it is now; returns how many rows survive. */
  def select(): Int = {
    if (count > 0) java.util.Arrays.fill(dropped, false)
    count = 0
    if (valid != null) dropInvisible()
    if (deletes != null && count < batch.size) dropDeleted()
    selection.active = count > 0
    if (count > 0 && count < batch.size) fillSelection()
    batch.size - count
  }

  private def drop(row: Int): Unit = if (!dropped(row)) {
    dropped(row) = true
    count += 1
  }

  private def fillSelection(): Unit = {
    var kept = 0
    var i = 0
    while (i < batch.size) {
      if (!dropped(i)) { selection.rows(kept) = i; kept += 1 }
      i += 1
    }
  }

  private def dropInvisible(): Unit = {
    val all = currentIds.isRepeating
    if (!all || !valid.isValid(currentIds.vector(0))) {
      var i = 0
      while (i < batch.size) {
        if (all || !valid.isValid(currentIds.vector(i))) drop(i)
        i += 1
      }
    }
  }

  /** Takes the batch apart into runs of rows of one write ID and bucket property. */
  private def dropDeleted(): Unit = {
    if (rowIds.isRepeating) rowIds.flatten(false, null, batch.size)
    val oneRun = writeIds.isRepeating && properties.isRepeating
    var from = 0
    while (from < batch.size) {
      val writeId = writeIds.vector(if (writeIds.isRepeating) 0 else from)
      val property = properties.vector(if (properties.isRepeating) 0 else from)
      var until = if (oneRun) batch.size else from + 1
      while (
        until < batch.size && (writeIds.isRepeating || writeIds.vector(until) == writeId) &&
        (properties.isRepeating || properties.vector(until) == property)
      ) until += 1
      val set = deletes.forBucket(BucketProperty.bucketOf(property.toInt))
      if (!set.isEmpty) dropRun(set, writeId, property.toInt, from, until)
      from = until
    }
  }

  private def dropRun(set: DeleteSet, writeId: Long, property: Int, from: Int, until: Int): Unit = {
    val ids = rowIds.vector
    var min = ids(from)
    var max = ids(from)
    var ascending = true
    var i = from + 1
    while (i < until) {
      val id = ids(i)
      ascending &= id > ids(i - 1)
      min = math.min(min, id)
      max = math.max(max, id)
      i += 1
    }
    if (min >> 32 == max >> 32) {
      val bitmap = set.find(writeId, property, (min >> 32).toInt)
      if (bitmap != null && bitmap.rangeCardinality(low(min), low(max) + 1) > 0) {
        if (ascending) dropSorted(bitmap, from, until) else dropEach(_ => bitmap, from, until)
      }
    } else dropEach(id => set.find(writeId, property, (id >> 32).toInt), from, until)
  }

  private def low(id: Long): Long = id & 0xffffffffL

  private def dropSorted(bitmap: RoaringBitmap, from: Int, until: Int): Unit = {
    val ids = rowIds.vector
    val deleted = bitmap.getIntIterator
    deleted.advanceIfNeeded(ids(from).toInt)
    var next = if (deleted.hasNext) Integer.toUnsignedLong(deleted.next()) else Long.MaxValue
    var i = from
    while (i < until && next != Long.MaxValue) {
      val id = low(ids(i))
      while (next < id) next = if (deleted.hasNext) Integer.toUnsignedLong(deleted.next()) else Long.MaxValue
      if (next == id) drop(i)
      i += 1
    }
  }

  private def dropEach(bitmapOf: Long => RoaringBitmap, from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      val id = rowIds.vector(i)
      val bitmap = bitmapOf(id)
      if (bitmap != null && bitmap.contains(id.toInt)) drop(i)
      i += 1
    }
  }
}
