package hiveacid.write

import scala.collection.mutable.ArrayBuffer

/** The share of one write task: the shuffle's partitions from `from` to before `until`.
  *
  * @param piece
  *   which part of its buckets, from 0; two tasks with rows of one bucket differ in it
  */
final case class Share(piece: Int, from: Int, until: Int)

/** How row changes are spread over write tasks.
  *
  * A bucket of a partition belongs to one *group*, and each of its rows to one of the group's *slots*; both are
  * functions of the row alone. The slots of a group are consecutive partitions of one shuffle. Once the shuffle is
  * written and its sizes are known, a task gets several whole groups, or, where one group is too much for a task, some
  * of its slots.
  *
  * @param maxPieces
  *   how many tasks may share a group
  */
final case class TaskShares(groups: Int, slots: Int, maxPieces: Int) {
  def partitions: Int = groups * slots

  /** Cuts the shuffle into shares of about `target` bytes. A group is split from one and a half `target` on, so that a
    * bucket gets no second file for a little more. Together they are the whole shuffle, or none of it if it is empty:
    * where map tasks run again, rows may come to lie where none were.
    *
    * @param bytes
    *   size of each partition of the shuffle
    * @param target
    *   bytes, at least 1
    */
  def shares(bytes: Array[Long], target: Long): Seq[Share] = {
    val result = ArrayBuffer.empty[Share]
    var (first, collected) = (0, 0L)
    def finish(group: Int): Unit = {
      if (collected > 0) result += Share(0, first * slots, group * slots)
      first = group
      collected = 0
    }
    for (group <- 0 until groups) {
      val sizes = bytes.slice(group * slots, (group + 1) * slots)
      val total = sizes.sum
      val pieces = math.min(math.min(slots, maxPieces).toLong, math.round(total.toDouble / target)).toInt
      if (collected > 0 && collected + total > target) finish(group)
      collected += total
      if (pieces > 1) {
        result ++= split(sizes, pieces).map(s => s.copy(from = group * slots + s.from, until = group * slots + s.until))
        collected = 0
        first = group + 1
      }
    }
    finish(groups)
    joined(result.toSeq)
  }

  /** Each begins where the one before it ends; what is empty lay between them. */
  private def joined(shares: Seq[Share]): Seq[Share] = {
    val ends = shares.drop(1).map(_.from) :+ partitions
    shares.zip(0 +: ends).zip(ends).map { case ((share, from), until) => share.copy(from = from, until = until) }
  }

  /** Runs of slots of about the same size. */
  private def split(sizes: Array[Long], pieces: Int): Seq[Share] = {
    val total = sizes.sum
    val result = ArrayBuffer.empty[Share]
    var (from, before, sum) = (0, 0L, 0L)
    for (slot <- sizes.indices) {
      sum += sizes(slot)
      // the last slot with rows always ends a piece, as the sum is the total then
      if (sum > before && sum >= total.toDouble * (result.length + 1) / pieces) {
        result += Share(result.length, from, slot + 1)
        from = slot + 1
        before = sum
      }
    }
    result.toSeq
  }
}

object TaskShares {

  /** Above this number Spark knows the sizes of a shuffle's partitions on average only
    * (`spark.shuffle.minNumPartitionsToHighlyCompress`).
    */
  private val MaxPartitions = 2000
  private val GroupsPerCore = 2
  private val SlotsPerCore = 4 // hashes fill slots unevenly

  /** @param buckets
    *   how many buckets hold rows that may change, 0 if that is not known
    * @param cores
    *   of the session, at least 1
    * @param maxPieces
    *   how many tasks may write to one bucket
    */
  def of(buckets: Int, cores: Int, maxPieces: Int): TaskShares = {
    val wanted = math.min(GroupsPerCore.toLong * cores, MaxPartitions.toLong).toInt
    val groups = if (buckets > 0) math.min(buckets, wanted) else wanted
    val slots = math.min(SlotsPerCore.toLong * cores, (MaxPartitions / groups).toLong).toInt
    TaskShares(groups, math.max(1, slots), maxPieces)
  }
}
