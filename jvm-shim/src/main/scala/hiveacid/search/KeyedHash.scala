package hiveacid.search

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** The keyed hash of a subject: HMAC-SHA256 over its parts, as `hive_acid/erasure/keyed_hash.py` makes it.
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

  /** The hash of a key's parts, 32 bytes; null if one of them is NULL, for NULL names nobody. */
  def of(parts: collection.Seq[String]): Array[Byte] =
    if (parts == null || parts.isEmpty || parts.contains(null)) null
    else {
      val mac = macs.get
      mac.update(KeyedHash.Tag)
      parts.foreach { part =>
        val text = part.getBytes(UTF_8)
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
}
