package hiveacid.compact

import java.io.Closeable
import java.util.PriorityQueue

import hiveacid.formats.orc.{RowKey, SortedRun}

/** Rows of several runs as one. */
object RunMerge {

  /** Hands over all rows in the order of their keys.
    *
    * @param runs
    *   started; they are closed
    * @param take
    *   is given a run and how many of its next rows come now, all in its batch
    */
  def merge(runs: Seq[SortedRun])(take: (SortedRun, Int) => Unit): Unit = {
    val queue = new PriorityQueue[SortedRun](math.max(1, runs.length), (a, b) => a.key.compare(b.key))
    try {
      runs.foreach(_.start())
      runs.filter(_.hasRow).foreach(queue.add)
      while (!queue.isEmpty) {
        val run = queue.poll()
        val limit = Option(queue.peek())
        val rows = limit.fold(run.remaining)(other => countUpTo(run, other.key))
        take(run, rows)
        run.advance(rows)
        if (run.hasRow) queue.add(run)
      }
    } finally closeAll(runs)
  }

  /** How many of the run's next rows in its batch come before `limit`; the next always does. */
  private def countUpTo(run: SortedRun, limit: RowKey): Int = {
    val key = new RowKey
    var rows = 1
    while (
      rows < run.remaining && {
        key.set(run.current.ids, run.indexAt(rows))
        key.compare(limit) < 0
      }
    ) rows += 1
    rows
  }

  /** Closes all, whatever happens to one of them. */
  def closeAll(opened: Seq[Closeable]): Unit = opened.foldRight(()) { (one, _) => one.close() }
}
