package hiveacid.search

import java.nio.ByteBuffer

/** The subjects as keyed hashes; whether a row names one is asked by the parts of its key.
  *
  * @param hashes
  *   one behind the other, each of [[KeyedHash.Bytes]]
  */
final class SubjectSet(hash: KeyedHash, hashes: Array[Byte]) extends Serializable {
  require(hashes.length % KeyedHash.Bytes == 0, "a hash was cut")

  @transient private lazy val known: Set[ByteBuffer] =
    hashes.grouped(KeyedHash.Bytes).map(bytes => ByteBuffer.wrap(bytes)).toSet

  def contains(parts: collection.Seq[String]): Boolean = {
    val found = hash.of(parts)
    found != null && known.contains(ByteBuffer.wrap(found))
  }

  override def toString: String = "SubjectSet"
}
