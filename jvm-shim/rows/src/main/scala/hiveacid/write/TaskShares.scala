package hiveacid.write

import scala.collection.mutable.ArrayBuffer

/** The share of one write task: the shuffle's partitions from `from` to before `until`.
  *
  * @param piece
  *   which part of its buckets, from 0; two tasks with rows of one bucket differ in it
  * @param maps
  *   of one partition, what the map tasks from the first number to before the second sent; `None`: what all sent
  */
final case class Share(piece: Int, from: Int, until: Int, maps: Option[(Int, Int)] = None)

/** How row changes are spread over write tasks.
  *
  * A bucket of a partition belongs to one *group*, and each of its rows to one of the group's *slots*; both are
  * functions of the row alone. The slots of a group are consecutive partitions of one shuffle. Once the shuffle is
  * written and its sizes are known, a task gets several whole groups, or, where one group is too much for a task, some
  * of its slots.
  *
  * Rows that need not meet can have one slot. A group that is too much for a task is cut by the map tasks that sent its
  * rows then, and rows stay in the order of their source, which costs no hash and makes smaller files.
  *
  * @param maxPieces
  *   how many tasks may share a group
  */
final case class TaskShares(groups: Int, slots: Int, maxPieces: Int) {
  def partitions: Int = groups * slots

  /** Cuts the shuffle into shares. A group is split from one and a half `target` on, so that a bucket gets no second
    * file for a little more. Together they are the whole shuffle, or none of it if it is empty: where map tasks run
    * again, rows may come to lie where none were.
    *
    * @param bytes
    *   size of each partition of the shuffle
    * @param target
    *   about how many bytes each part of a group has that is split, at least 1
    * @param together
    *   up to how many bytes whole groups are one share, at least 1
    * @param bytesByMap
    *   what each map task sent to a partition; `None`: groups are split by their slots
    */
  def shares(
      bytes: Array[Long],
      target: Long,
      together: Long,
      bytesByMap: Option[Int => Array[Long]] = None
  ): Seq[Share] = {
    require(bytesByMap.isEmpty || slots == 1, "a group that is split by map tasks is one partition")
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
      val most = if (bytesByMap.isEmpty) math.min(slots, maxPieces) else maxPieces
      val pieces = math.min(most.toLong, math.round(total.toDouble / target)).toInt
      if (collected > 0 && collected + total > together) finish(group)
      collected += total
      if (pieces > 1) {
        result ++= bytesByMap.fold(bySlots(group, sizes, pieces))(sent => byMaps(group, sent(group), pieces))
        collected = 0
        first = group + 1
      }
    }
    finish(groups)
    joined(result.toSeq)
  }

  private def bySlots(group: Int, sizes: Array[Long], pieces: Int): Seq[Share] =
    split(sizes, pieces).map(s => s.copy(from = group * slots + s.from, until = group * slots + s.until))

  /** All map tasks are in one of the pieces. */
  private def byMaps(group: Int, sizes: Array[Long], pieces: Int): Seq[Share] = {
    val runs = split(sizes, pieces)
    if (runs.length < 2) Seq(Share(0, group, group + 1))
    else
      runs.map { run =>
        val until = if (run == runs.last) sizes.length else run.until
        Share(run.piece, group, group + 1, Some((run.from, until)))
      }
  }

  /** Each begins where the one before it ends; what is empty lay between them. A part of what map tasks sent cannot be
    * extended.
    */
  private def joined(shares: Seq[Share]): Seq[Share] = {
    val end = if (shares.isEmpty) Nil else Seq(Share(0, partitions, partitions))
    val all = (shares ++ end).foldLeft(Vector.empty[Share]) { (before, share) =>
      val from = before.lastOption.fold(0)(_.until)
      before.lastOption match {
        case Some(last) if last.maps.isEmpty => before.init :+ last.copy(until = share.from) :+ share
        case _ if share.maps.isEmpty         => before :+ share.copy(from = from)
        case _ if from < share.from          => before :+ Share(0, from, share.from) :+ share
        case _                               => before :+ share
      }
    }
    all.filter(share => share.from < share.until)
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
  private val WholeGroupsPerCore = 8 // without slots more of them cost nothing, and fill tasks evenly
  private val SlotsPerCore = 4 // hashes fill slots unevenly

  /** @param buckets
    *   how many buckets hold rows that may change, 0 if that is not known
    * @param cores
    *   of the session, at least 1
    * @param maxPieces
    *   how many tasks may write to one bucket
    * @param byMaps
    *   whether a group can be split by the map tasks that sent its rows
    */
  def of(buckets: Int, cores: Int, maxPieces: Int, byMaps: Boolean = false): TaskShares = {
    val perCore = if (byMaps) WholeGroupsPerCore else GroupsPerCore
    val wanted = math.min(perCore.toLong * cores, MaxPartitions.toLong).toInt
    val groups = if (buckets > 0) math.min(buckets, wanted) else wanted
    val slots = if (byMaps) 1 else math.min(SlotsPerCore.toLong * cores, (MaxPartitions / groups).toLong).toInt
    TaskShares(groups, math.max(1, slots), maxPieces)
  }
}
