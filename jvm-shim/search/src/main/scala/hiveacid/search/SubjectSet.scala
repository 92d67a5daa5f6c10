package hiveacid.search

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.util.ArrayData

/** The subjects as keyed hashes; whether a row names one is asked by the parts of its key.
  *
  * @param hashes
  *   one behind the other, each of [[KeyedHash.Bytes]]
  * @param marks
  *   of the same subjects, if all have one
  */
final class SubjectSet(hash: KeyedHash, hashes: Array[Byte], marks: Option[SubjectMarks] = None) extends Serializable {
  require(hashes.length % KeyedHash.Bytes == 0, "a hash was cut")

  @transient private lazy val known: Set[ByteBuffer] =
    hashes.grouped(KeyedHash.Bytes).map(bytes => ByteBuffer.wrap(bytes)).toSet

  /** The same of texts as the engine has them: whether all together are the parts of a subject's key. */
  def containsAll(parts: ArrayData): Boolean = parts != null && isNamed(parts, 0, parts.numElements())

  /** Whether one of them is a subject's key of one part. */
  def containsAny(keys: ArrayData): Boolean =
    keys != null && (0 until keys.numElements()).exists(i => isNamed(keys, i, i + 1))

  private def isNamed(texts: ArrayData, from: Int, until: Int): Boolean = {
    var i = from
    while (i < until && !texts.isNullAt(i)) i += 1
    i == until && marks.forall(_.mightContain(SubjectPrints.of(texts, from, until))) &&
    Option(hash.of(texts, from, until)).exists(found => known.contains(ByteBuffer.wrap(found)))
  }

  override def toString: String = "SubjectSet"
}
