package hiveacid.formats

import scala.util.Try

import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, Refusal}
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.mapred.TextInputFormat

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** The lines at the beginning and end of each file of text that are no rows (Hive: Utilities.getHeaderCount and
  * getFooterCount, which ask the table, not its partitions; seen with 3.1.3 and 4.1.0).
  *
  * In files of other formats Hive 4 skips nothing; neither do the jobs of Hive 3.1, whose plain SELECT does.
  */
final case class SkippedLines(header: Int, footer: Int) {
  def isNone: Boolean = header == 0 && footer == 0

  /** The rows of one file, in which each line is a row, without these lines. */
  def drop(rows: RDD[InternalRow]): RDD[InternalRow] = {
    if (rows.getNumPartitions > 1) throw new IllegalStateException("a file with header lines was read in splits")
    val (first, last) = (header, footer)
    rows.mapPartitions { found =>
      val rest = found.drop(first)
      if (last == 0) rest else SkippedLines.withoutLast(rest, last)
    }
  }
}

object SkippedLines {

  /** The numbers in the table's properties, by which Hive goes. */
  private val HeaderKey = "skip.header.line.count"
  private val FooterKey = "skip.footer.line.count"
  private val MaxFooter = 100 // hive.file.max.footer

  /** The table's own, before those of its SerDe.
    *
    * @throws AcidException
    *   HIVE_ACID_UNSUPPORTED_TABLE where Hive refuses too: no number, or a longer footer than `hive.file.max.footer`
    */
  def of(t: CatalogTable): SkippedLines =
    if (!t.storage.inputFormat.exists(_.endsWith(".TextInputFormat"))) SkippedLines(0, 0)
    else {
      val footer = count(t, FooterKey)
      if (footer > MaxFooter) {
        val found = Map("key" -> FooterKey, "count" -> footer.toString, "limit" -> MaxFooter.toString)
        refuse(t, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FOOTER_TOO_LONG", found))
      }
      SkippedLines(count(t, HeaderKey), footer)
    }

  private def count(t: CatalogTable, key: String): Int =
    t.properties.get(key).orElse(t.storage.properties.get(key)).fold(0) { text =>
      def refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SKIPPED_LINES", Map("key" -> key, "value" -> text))
      math.max(0, Try(Integer.parseInt(text)).getOrElse(refuse(t, refusal)))
    }

  private def refuse(t: CatalogTable, refusal: Refusal): Nothing =
    throw AcidException.unsupported("Access", AcidTable.name(t), refusal)

  /** Rows are handed over once `footer` more are known; those that wait are copied, as the reader reuses its row. */
  private def withoutLast(rows: Iterator[InternalRow], footer: Int): Iterator[InternalRow] = {
    val waiting = new java.util.ArrayDeque[InternalRow](footer + 1)
    new Iterator[InternalRow] {
      override def hasNext: Boolean = {
        while (waiting.size <= footer && rows.hasNext) waiting.add(rows.next().copy())
        waiting.size > footer
      }

      override def next(): InternalRow = if (hasNext) waiting.poll() else throw new NoSuchElementException
    }
  }
}

/** Reads each file of text as one split, in which the first and the last lines can be told. */
class WholeTextInputFormat extends TextInputFormat {
  override protected def isSplitable(fs: FileSystem, file: Path): Boolean = false
}
