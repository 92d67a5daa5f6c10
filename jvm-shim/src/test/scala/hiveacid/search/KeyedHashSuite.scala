package hiveacid.search

import java.io.File

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.commons.codec.binary.Hex

/** The vectors that Python's tests compute too. */
final class KeyedHashSuite extends munit.FunSuite {
  private val folder = new File(System.getProperty("hiveacid.wire")).getParentFile
  private val vectors = new ObjectMapper().readTree(new File(folder, "vectors/keyed_hashes.json"))
  private val secret = Hex.decodeHex(vectors.get("key").asText)
  private val hash = new KeyedHash(secret)

  test("hashes are those of the vectors") {
    val cases = vectors.get("hashes").elements.asScala.toSeq
    assert(cases.length > 5)
    for (one <- cases) {
      val parts = one.get("parts").elements.asScala.map(_.asText).toSeq
      assertEquals(Hex.encodeHexString(hash.of(parts)), one.get("hash").asText)
    }
  }

  test("a part without a value names nobody") {
    assertEquals(hash.of(Seq("Ada", null)), null)
    assertEquals(hash.of(null), null)
    val subjects = new SubjectSet(hash, hash.of(Seq("Ada")))
    assert(subjects.contains(Seq("Ada")))
    assert(!subjects.contains(Seq(null)))
    assert(!subjects.contains(Seq("Ada", "Lovelace")))
  }

  test("neither the secret nor a hash is shown") {
    val subjects = new SubjectSet(hash, hash.of(Seq("Ada")))
    assertEquals(s"$hash $subjects", "KeyedHash SubjectSet")
  }
}
