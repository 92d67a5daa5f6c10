package hiveacid.search

import java.io.File

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.commons.codec.binary.Hex

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, StringType}
import org.apache.spark.unsafe.types.UTF8String

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
    assertEquals(hash.of(array("Ada", null), 0, 2), null)
    assertEquals(hash.of(array(), 0, 0), null)
    val subjects = new SubjectSet(hash, hash.of(Seq("Ada")))
    assert(subjects.containsAll(array("Ada")))
    assert(!subjects.containsAll(array(null)))
    assert(!subjects.containsAll(array("Ada", "Lovelace")))
  }

  private def array(texts: String*) = new GenericArrayData(texts.map(UTF8String.fromString).toArray[Any])

  private def kept(subjects: Seq[Seq[String]]): SubjectPrints = {
    val prints = new SubjectPrints
    subjects.foreach(parts => prints.keep(hex(parts), parts))
    prints
  }

  private def hex(parts: Seq[String]) = Hex.encodeHexString(hash.of(parts))

  test("marks leave out nobody, and hashes decide on who has one") {
    val subjects = (0 until 300).map(i => Seq(s"key-$i")) :+ Seq("Ada", "Łovelace")
    val marks = kept(subjects).find(subjects.iterator.map(hex))
    assert(marks.isDefined)
    for (found <- Seq(marks, None)) {
      val set = new SubjectSet(hash, subjects.flatMap(hash.of(_)).toArray, found)
      for (i <- 0 until 600) {
        assertEquals(set.containsAll(array(s"key-$i")), i < 300)
        assertEquals(set.containsAny(array(null, s"key-$i", s"key-${599 - i}")), true)
        assertEquals(set.containsAny(array(s"key-${300 + i}", "Ada")), false)
      }
      assert(set.containsAll(array("Ada", "Łovelace")))
      assert(!set.containsAll(array("Ada", null)) && !set.containsAll(array("Łovelace", "Ada")))
      assert(!set.containsAll(array()) && !set.containsAll(null) && !set.containsAny(null))
    }
  }

  test("most others have no mark of a subject's") {
    val marks = SubjectMarks((0 until 1000).map(i => SubjectPrints.of(array(s"key-$i"), 0, 1)))
    val taken = (1000 until 51000).count(i => marks.mightContain(SubjectPrints.of(array(s"key-$i"), 0, 1)))
    assert(clue(taken) < 50000 / 40)
  }

  test("without the mark of one subject there is none of any") {
    assertEquals(kept(Seq(Seq("a"))).find(Iterator(hex(Seq("a")), hex(Seq("b")))), None)
  }

  private def bytes(values: Int*) =
    new GenericArrayData(Array[Any](UTF8String.fromBytes(values.map(_.toByte).toArray)))

  test("texts that are no UTF-8 and are shown alike are told apart") {
    val (one, other) = (bytes(0xff, 1), bytes(0xfe, 1))
    assertEquals(one.getUTF8String(0).toString, other.getUTF8String(0).toString)
    val set = new SubjectSet(hash, hash.of(one, 0, 1))
    assert(set.containsAll(one) && set.containsAny(one))
    assert(!set.containsAll(other) && !set.containsAny(other))
    assert(!set.containsAll(array("\uFFFD\u0001")))
  }

  test("a text in which others' may have fallen together has no hash of its own") {
    def found(texts: GenericArrayData) = HashOfParts(Literal(texts, ArrayType(StringType)), "f", hash).eval()
    for (several <- Seq(array("x\uFFFD"), array(""), array(" ", ""))) assertEquals(found(several), KeyedHash.Ambiguous)
    assertEquals(hexOf(found(array("", "Ada"))), hex(Seq("", "Ada")))
    assertEquals(found(array("", null)), null)
    assertEquals(hexOf(found(array("Ada"))), hex(Seq("Ada")))
    assertEquals(hexOf(found(bytes(0xff, 1))), hexOf(hash.of(bytes(0xff, 1), 0, 1)))
  }

  private def hexOf(found: Any) = Hex.encodeHexString(found.asInstanceOf[Array[Byte]])

  test("neither the secret nor a hash nor a mark is shown") {
    val prints = kept(Seq(Seq("Ada")))
    val marks = prints.find(Iterator(hex(Seq("Ada"))))
    val subjects = new SubjectSet(hash, hash.of(Seq("Ada")), marks)
    assertEquals(s"$hash $subjects $prints ${marks.get}", "KeyedHash SubjectSet SubjectPrints SubjectMarks")
  }
}
