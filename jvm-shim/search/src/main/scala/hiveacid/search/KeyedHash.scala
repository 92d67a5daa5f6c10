package hiveacid.search

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.unsafe.types.UTF8String

/** The keyed hash of a subject: HMAC-SHA256 over its parts, as `hive_acid_erasure/subjects/keyed_hash.py` makes it.
  *
  * Its text says nothing of the secret, for expressions that hold it are printed in plans.
  */
final class KeyedHash(secret: Array[Byte]) extends Serializable {
  // a Mac is for one thread
  @transient private lazy val macs: ThreadLocal[Mac] = ThreadLocal.withInitial { () =>
    val mac = Mac.getInstance(KeyedHash.Algorithm)
    mac.init(new SecretKeySpec(secret, KeyedHash.Algorithm))
    mac
  }

  /** The hash of the parts of a subject's key, 32 bytes. */
  def of(parts: Seq[String]): Array[Byte] = ofBytes(parts.map(_.getBytes(UTF_8)))

  /** The hash of a key's parts as a table has them, byte by byte: of two texts that are no UTF-8, and are shown alike,
    * each has its own. Null if one is NULL, for NULL names nobody.
    */
  def of(texts: ArrayData, from: Int, until: Int): Array[Byte] =
    if (from == until || (from until until).exists(texts.isNullAt)) null
    else ofBytes((from until until).map(texts.getUTF8String(_).getBytes))

  private def ofBytes(parts: Seq[Array[Byte]]): Array[Byte] = {
    val mac = macs.get
    mac.update(KeyedHash.Tag)
    parts.foreach { text =>
      mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).array)
      mac.update(text)
    }
    mac.doFinal()
  }

  override def toString: String = "KeyedHash"
}

object KeyedHash {
  val Bytes = 32
  private val Algorithm = "HmacSHA256"
  private val Tag = "hive-acid subject 1\u0000".getBytes(UTF_8)

  /** In place of the hash of texts that others have as well: one that holds U+FFFD, which functions put where bytes are
    * no UTF-8, so that the texts of several people fall together; and empty ones, which rows have that have no value.
    */
  val Ambiguous: Array[Byte] = new Array(Bytes)
  private val Replacement = UTF8String.fromString("\uFFFD")

  def isAmbiguous(texts: ArrayData): Boolean = {
    val all = (0 until texts.numElements()).map(i => if (texts.isNullAt(i)) None else Some(texts.getUTF8String(i)))
    all.flatten.exists(_.contains(Replacement)) || (all.nonEmpty && all.forall(_.exists(_.trim().numBytes == 0)))
  }
}
