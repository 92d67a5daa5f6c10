package hiveacid.search

import hiveacid.wire.{SearchedFile, SearchResult}

import org.apache.spark.sql.catalyst.InternalRow

/** A file with the typed values of its partition's name, or why that names none. */
final case class PlacedFile(file: SearchedFile, values: Either[String, InternalRow])

/** A range of bytes of a file: the stripes or row groups that lie in it, as the file's format has it.
  *
  * @param number
  *   of the file in the search
  */
final case class FilePart(number: Int, placed: PlacedFile, start: Long, lengthBytes: Long) {
  def isFirst: Boolean = start == 0
}

/** The result for a part.
  *
  * @param fileRows
  *   how many rows the whole file has by its footer; None where it has none, or it could not be read
  */
final case class PartResult(number: Int, found: SearchResult, fileRows: Option[Long])

object FileParts {

  /** Ranges of that many bytes that hold the whole file. */
  def of(number: Int, placed: PlacedFile, bytes: Long): Seq[FilePart] = {
    val length = placed.file.lengthBytes
    val starts = 0L +: Iterator.iterate(bytes)(_ + bytes).takeWhile(_ < length).toVector
    starts.map(start => FilePart(number, placed, start, math.min(bytes, length - start)))
  }

  /** The result for a file by those for its parts. Rows that no part has read are a problem. A value that a row has
    * needs no mention that a dictionary has it as well.
    */
  def join(parts: Seq[PartResult]): SearchResult = {
    val found = parts.map(_.found)
    val (rows, matches) = (found.map(_.rowCount).sum, found.map(_.matchCount).sum)
    val missed = parts.flatMap(_.fileRows).find(_ != rows).map { told =>
      s"$rows rows were read, and its footer tells of $told"
    }
    SearchResult(
      found.head.path,
      rows,
      matches,
      found.exists(_.inStatistics),
      found.exists(_.inDictionary) && matches == 0,
      found.flatMap(_.formerColumns).distinct,
      found.flatMap(_.problem).headOption.orElse(missed)
    )
  }
}
