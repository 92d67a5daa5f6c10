package hiveacid.formats

import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

/** Requests of the driver to storage, several at a time: each waits for its answer. */
object SideBySide {
  private val Threads = 16

  /** The results of `read` for each item, in order; one after the other if there are less than `fewest`. Throws the
    * error of the first read that failed.
    */
  def map[A, B](items: Seq[A], fewest: Int = 2)(read: A => B): Seq[B] =
    if (items.length < fewest) items.map(read)
    else {
      val pool = Executors.newFixedThreadPool(math.min(Threads, items.length))
      try {
        val results: Seq[Future[B]] = items.map { item =>
          val task: Callable[B] = () => read(item)
          pool.submit(task)
        }
        results.map(_.get)
      } catch { case e: ExecutionException => throw e.getCause }
      finally pool.shutdownNow()
    }
}
