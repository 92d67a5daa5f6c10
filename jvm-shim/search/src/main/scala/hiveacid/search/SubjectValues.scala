package hiveacid.search

import java.text.Normalizer

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.unsafe.types.UTF8String

/** Whether a value by itself is a subject's, whatever column it stands in: by the keys of one part.
  *
  * @param ofTexts
  *   the subjects of keys that are texts
  * @param ofNumbers
  *   those of keys that are whole numbers
  * @param charLengths
  *   to which keys of CHAR are filled up with blanks
  */
final case class SubjectValues(
    ofTexts: Seq[Broadcast[SubjectSet]],
    ofNumbers: Seq[Broadcast[SubjectSet]],
    charLengths: Seq[Int]
) {
  import SubjectValues._

  def isEmpty: Boolean = ofTexts.isEmpty && ofNumbers.isEmpty

  def hasNumber(value: Long): Boolean = isOf(ofNumbers, UTF8String.fromString(value.toString))

  /** Blanks around it and upper and lower case make no difference. A number of few digits is nobody's in a text, where
    * counts are such numbers.
    */
  def hasText(text: UTF8String): Boolean = !isTrifle(text) && spellings(text).exists { spelled =>
    isOf(ofTexts, spelled) || isOf(ofNumbers, spelled) || charLengths.exists(n => isOf(ofTexts, spelled.rpad(n, Blank)))
  }

  private def isOf(sets: Seq[Broadcast[SubjectSet]], text: UTF8String): Boolean = {
    val value = new GenericArrayData(Array[Any](text))
    sets.exists(_.value.containsAll(value))
  }
}

object SubjectValues {
  private val TrifleDigits = 5
  private val Blank = UTF8String.fromString(" ")

  private def isTrifle(text: UTF8String): Boolean =
    text.numBytes <= TrifleDigits && text.getBytes.forall(b => b >= '0' && b <= '9')

  private def spellings(text: UTF8String): Iterator[UTF8String] = {
    val bare = text.trim()
    Iterator(text) ++
      (if (bare.numBytes == text.numBytes) Nil else Seq(bare)) ++
      Iterator(bare.toLowerCase, bare.toUpperCase) ++
      (if (bare.numChars == bare.numBytes) Nil else normalized(bare.toString))
  }

  private def normalized(text: String): Seq[UTF8String] =
    Seq(Normalizer.Form.NFC, Normalizer.Form.NFD).map(form => UTF8String.fromString(Normalizer.normalize(text, form)))
}
