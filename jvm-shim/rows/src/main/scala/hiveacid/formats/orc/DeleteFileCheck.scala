package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import hiveacid.formats.ReadErrors
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch
import org.apache.orc.Reader

/** Compares the events of a delete file, which is always read to its end, with what its footer says of them.
  *
  * Where the writer has kept no statistics (Hive 3's minor compaction) there must be as many as `hive.acid.stats` says,
  * each stripe must end with the event that `hive.acid.key.index` names, and all must be in the order that Hive's own
  * readers rely on.
  */
final class DeleteFileCheck(path: Path, reader: Reader, errors: ReadErrors) {
  import DeleteFileCheck._

  private val statistics = new IdStatistics(path, reader, FileSchema.IdColumns.indices, errors)
  private val order = if (statistics.areKept) None else Some(new Order)

  /** Counts the events of a batch. */
  def add(batch: VectorizedRowBatch): Unit = {
    statistics.add(batch)
    order.foreach(_.add(batch))
  }

  /** After the last batch.
    *
    * @throws hiveacid.AcidException
    *   HIVE_ACID_CORRUPT_FILE if the footer says otherwise
    */
  def finish(): Unit = {
    statistics.finish()
    for (_ <- order; stated <- statedDeletes if stated != statistics.count)
      throw statistics.differs("deletes", stated, statistics.count)
  }

  /** The number in `inserts,updates,deletes` (Hive: AcidStats); None where it is not told. */
  private def statedDeletes: Option[Long] =
    text(StatisticsKey).map(_.split(',')).filter(_.length == 3).flatMap(numbers => Try(numbers(2).toLong).toOption)

  private def text(key: String): Option[String] =
    if (reader.hasMetadataValue(key)) Some(UTF_8.decode(reader.getMetadataValue(key)).toString) else None

  /** The clue that is left where nothing tells of the values. */
  final private class Order {
    private val ends = text(KeyIndexKey).fold(Array.empty[String])(_.split(';').filter(_.nonEmpty))
    private val stripes = reader.getStripes
    private val (last, key) = (new RowKey, new RowKey)
    private var stripe = 0
    private var rowsToEnd = if (stripes.isEmpty) 0L else stripes.get(0).getNumberOfRows

    def add(batch: VectorizedRowBatch): Unit = (0 until batch.size).foreach { i =>
      key.set(batch, i)
      if (key.compare(last) < 0 && !key.isSameRow(last))
        throw errors.corrupt(
          path,
          "HIVE_ACID_CORRUPT_FILE.DELETES_OUT_OF_ORDER",
          "event" -> key.toString,
          "last" -> last.toString
        )
      last.set(key)
      rowsToEnd -= 1
      if (rowsToEnd == 0) endStripe()
    }

    private def endStripe(): Unit = {
      val found = s"${last.writeId},${last.property},${last.rowId}"
      if (ends.length == stripes.size && ends(stripe) != found)
        throw statistics.differs("last event of a stripe", s"(${ends(stripe)})", s"($found)")
      stripe += 1
      if (stripe < stripes.size) rowsToEnd = stripes.get(stripe).getNumberOfRows
    }
  }
}

object DeleteFileCheck {
  private val StatisticsKey = "hive.acid.stats"
  private val KeyIndexKey = "hive.acid.key.index"
}
