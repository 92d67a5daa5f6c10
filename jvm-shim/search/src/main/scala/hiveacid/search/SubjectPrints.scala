package hiveacid.search

import java.nio.charset.StandardCharsets.UTF_8
import java.util.BitSet
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.unsafe.types.UTF8String

/** Quick marks of subjects: a row without the mark of one names none, and no keyed hash is made of it.
  *
  * They are made where subjects are spelled, and stay in the driver beside the keyed hashes, of which they cannot be
  * made. A subject that came from a table has none.
  */
final class SubjectPrints {
  private val ofHashes = new ConcurrentHashMap[String, java.lang.Long]

  /** Keeps the mark of the parts of a key under their keyed hash, in hexadecimal. */
  def keep(hash: String, parts: Seq[String]): Unit =
    ofHashes.put(hash, SubjectPrints.of(parts.map(part => UTF8String.fromBytes(part.getBytes(UTF_8)))))

  /** The marks of all these subjects; None if one of them has none. */
  def find(hashes: Iterator[String]): Option[SubjectMarks] = {
    val found = hashes.map(hash => Option(ofHashes.get(hash))).toVector
    if (found.forall(_.isDefined)) Some(SubjectMarks(found.map(_.get.longValue))) else None
  }

  override def toString: String = "SubjectPrints"
}

object SubjectPrints {
  private val Seed = 42L

  private def of(parts: Seq[UTF8String]): Long = parts.foldLeft(Seed)((mark, part) => next(part, mark))

  /** That of the parts from one until another, none of which is NULL. */
  private[search] def of(texts: ArrayData, from: Int, until: Int): Long = {
    var (mark, i) = (Seed, from)
    while (i < until) {
      mark = next(texts.getUTF8String(i), mark)
      i += 1
    }
    mark
  }

  private def next(part: UTF8String, mark: Long): Long =
    XXH64.hashUnsafeBytes(part.getBaseObject, part.getBaseOffset, part.numBytes, mark)
}

/** The marks of some subjects. One in sixty-four others is taken for one of theirs. */
final class SubjectMarks private (bits: BitSet, mask: Int) extends Serializable {
  def mightContain(mark: Long): Boolean = bits.get(mark.toInt & mask)

  override def toString: String = "SubjectMarks"
}

object SubjectMarks {
  private val BitsPerMark = 64

  /** For more subjects the bits are not more, 16 MB, and mark more of the others. */
  private val MostMarks = 1 << 20

  def apply(marks: Seq[Long]): SubjectMarks = {
    val mask = math.max(1, Integer.highestOneBit(math.min(marks.length, MostMarks))) * BitsPerMark * 2 - 1
    val bits = new BitSet(mask)
    marks.foreach(mark => bits.set(mark.toInt & mask))
    new SubjectMarks(bits, mask)
  }
}
