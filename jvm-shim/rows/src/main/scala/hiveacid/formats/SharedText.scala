package hiveacid.formats

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

/** A text that many tasks need. Each executor fetches it once; the description of a task holds a reference. */
final class SharedText private (texts: Broadcast[Array[String]], index: Int) extends Serializable {
  override def toString: String = texts.value(index)
}

/** Texts among the constant metadata of files, whose readers ask for `toString`.
  *
  * A table with 1,000 delete deltas describes them in 200 KB, which the description of each task would repeat.
  */
object SharedText {

  /** Up to this length a text stays with its file: a broadcast costs more. */
  private[formats] val ShortChars = 4096

  /** Texts are sent in groups of about this length, so that a task fetches little that concerns only others. */
  private[formats] val GroupChars = 4 << 20

  /** The same texts in order, the long ones shared. Equal texts are sent once. */
  def of(context: SparkContext, texts: Seq[String]): Seq[Any] = {
    val long = texts.filter(_.length > ShortChars).distinct
    val shared = groups(long).flatMap { group =>
      val sent = context.broadcast(group.toArray)
      group.indices.map(i => group(i) -> new SharedText(sent, i))
    }.toMap
    texts.map(text => shared.getOrElse(text, text))
  }

  private[formats] def groups(texts: Seq[String]): Seq[Seq[String]] = {
    val found = ArrayBuffer.empty[ArrayBuffer[String]]
    var chars = 0
    texts.foreach { text =>
      if (found.isEmpty || chars + text.length > GroupChars) {
        found += ArrayBuffer.empty[String]
        chars = 0
      }
      found.last += text
      chars += text.length
    }
    found.map(_.toSeq).toSeq
  }
}
