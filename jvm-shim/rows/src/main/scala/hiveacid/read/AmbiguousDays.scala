package hiveacid.read

import java.time.LocalDate

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.parquet.Conversion

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** Days that come from Hive's SerDes as others than the file holds, and cannot be told from true ones. Spark takes the
  * DATEs and TIMESTAMPs of a SerDe by way of the classes of java.sql, which know the hybrid of the Julian and the
  * Gregorian calendar only; Hive shows 1582-10-10 and 1012-02-27 where Spark would show 1582-10-20 and 1012-02-21 (seen
  * with 3.1.3 and 4.1.0).
  *
  * @param days
  *   those that are refused, as days since 1970-01-01
  */
final class AmbiguousDays private (table: String, days: Range) extends Serializable {

  /** A check of rows whose columns have these types, or None if no column can hold such a day. */
  def check(types: Seq[DataType]): Option[InternalRow => InternalRow] = {
    val day: Int => Int = day => if (days.contains(day)) throw refused else day
    val micros: Long => Long = { at =>
      val day = Math.floorDiv(at, AmbiguousDays.MicrosPerDay).toInt
      // the zone may be hours off
      if (days.contains(day - 1) || days.contains(day + 1)) throw refused else at
    }
    val changes = types.map(Conversion.ofTimes(_, micros, micros, Some(day))).toArray
    Some(changes).filter(_.exists(_.isDefined)).map { _ => row =>
      var i = 0
      while (i < changes.length) {
        if (changes(i).isDefined && !row.isNullAt(i)) changes(i).get(row.get(i, types(i)))
        i += 1
      }
      row
    }
  }

  private def refused: AcidException = {
    val (first, last) = (LocalDate.ofEpochDay(days.head.toLong), LocalDate.ofEpochDay(days.last.toLong))
    val found = Map("first" -> first.toString, "last" -> last.toString)
    AcidException.unsupported("Access", table, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.AMBIGUOUS_DAY", found))
  }
}

object AmbiguousDays {
  private val MicrosPerDay = 86400000000L
  private val FirstGregorian = LocalDate.of(1582, 10, 15).toEpochDay.toInt
  private val FirstDay = LocalDate.of(-9999, 1, 1).toEpochDay.toInt

  /** The days of a SerDe by its class name; None if it shows the days that Hive shows. */
  def of(serde: String, table: String): Option[AmbiguousDays] =
    // Hive 4 writes the days of Avro in the hybrid calendar itself
    if (serde.endsWith("AvroSerDe")) None
    else if (serde.contains("LazyBinary")) Some(new AmbiguousDays(table, FirstDay until FirstGregorian))
    // of a text the ten days that the hybrid calendar leaves out become the ten that follow
    else Some(new AmbiguousDays(table, FirstGregorian until FirstGregorian + 10))
}
