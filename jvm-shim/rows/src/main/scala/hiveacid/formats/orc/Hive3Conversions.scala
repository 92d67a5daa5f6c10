package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8
import java.time.LocalDate
import java.util.{Calendar, GregorianCalendar, TimeZone}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.hadoop.hive.ql.exec.vector.expressions.StringExpr
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category
import org.apache.orc.TypeDescription.Category._

/** Values of older files in the types that their columns have by now, where Hive 3.1 makes others of them than later
  * releases do, and than the ORC in use: ConvertTreeReaderFactory of ORC 1.5.8.
  *
  *   - A FLOAT becomes the DOUBLE, DECIMAL or text of its shortest digits: 0.1, not 0.10000000149011612.
  *   - A BIGINT or text becomes a FLOAT at once, not by way of a DOUBLE, which rounds twice.
  *   - The text of a DATE is that of the hybrid calendar.
  *
  * ORC fills vectors of the file's types; those of the table's types take their places in the batch afterwards.
  *
  * @param size
  *   the number of rows of the batch that was read last
  * @param isHybrid
  *   whether the file names the hybrid calendar, of whose days ORC has made proleptic ones already
  */
final class Hive3Conversions private (
    read: TypeDescription,
    wanted: TypeDescription,
    fields: Array[ColumnVector],
    size: () => Int,
    isHybrid: Boolean
) {
  private val leaves: Seq[Hive3Conversions.Leaf] =
    children(read, wanted).zipWithIndex.flatMap { case ((r, w), i) => leavesOf(r, w, fields(i), size, fields(i) = _) }

  /** Lets ORC fill the batch. */
  def open(): Unit = leaves.foreach(_.open())

  /** Converts the batch that ORC has filled. */
  def convert(): Unit = leaves.foreach(_.convert())

  private def leavesOf(
      read: TypeDescription,
      wanted: TypeDescription,
      vector: ColumnVector,
      size: () => Int,
      put: ColumnVector => Unit
  ): Seq[Hive3Conversions.Leaf] = vector match {
    case v: StructColumnVector =>
      children(read, wanted).zipWithIndex.flatMap { case ((r, w), i) =>
        leavesOf(r, w, v.fields(i), size, v.fields(i) = _)
      }
    case v: ListColumnVector =>
      children(read, wanted).flatMap { case (r, w) => leavesOf(r, w, v.child, () => v.childCount, v.child = _) }
    case v: MapColumnVector =>
      val Seq((rk, wk), (rv, wv)) = children(read, wanted)
      leavesOf(rk, wk, v.keys, () => v.childCount, v.keys = _) ++
        leavesOf(rv, wv, v.values, () => v.childCount, v.values = _)
    case _ if !Hive3Conversions.covers(read, wanted) => Nil
    case _ => Seq(new Hive3Conversions.Leaf(vector, wanted, size, put, isHybrid))
  }

  private def children(read: TypeDescription, wanted: TypeDescription): Seq[(TypeDescription, TypeDescription)] =
    read.getChildren.asScala.toSeq.zip(wanted.getChildren.asScala)
}

object Hive3Conversions {
  private val text = Set(STRING, CHAR, VARCHAR)
  private val MillisPerDay = 86400000L

  /** The conversions of a row's columns, whose vectors are `fields`: from the schema that ORC reads to the wanted one,
    * of equal structure. Its vectors that are converted are replaced.
    */
  def apply(
      read: TypeDescription,
      wanted: TypeDescription,
      fields: Array[ColumnVector],
      size: () => Int,
      isHybrid: Boolean
  ): Hive3Conversions = {
    val made = new Hive3Conversions(read, wanted, fields, size, isHybrid)
    made.leaves.foreach(_.close())
    made
  }

  /** Whether this is for such a change of type. */
  def covers(file: TypeDescription, wanted: TypeDescription): Boolean = covers(file.getCategory, wanted.getCategory)

  private def covers(file: Category, wanted: Category): Boolean = (file, wanted) match {
    case (FLOAT, DOUBLE | DECIMAL) => true
    case (FLOAT | DATE, w)         => text(w)
    case (f, FLOAT)                => f == LONG || text(f)
    case _                         => false
  }

  /** The type to ask ORC for, so that such values come as they are in the file. */
  def asRead(file: TypeDescription, wanted: TypeDescription): TypeDescription = wanted.getCategory match {
    case STRUCT =>
      val names = file.getFieldNames.asScala.toSeq
      wanted.getFieldNames.asScala.zip(wanted.getChildren.asScala).foldLeft(TypeDescription.createStruct()) {
        case (struct, (name, field)) =>
          val i = names.indexWhere(_.equalsIgnoreCase(name))
          struct.addField(name, if (i < 0) field.clone() else asRead(file.getChildren.get(i), field))
      }
    case LIST => TypeDescription.createList(asRead(file.getChildren.get(0), wanted.getChildren.get(0)))
    case MAP  =>
      val Seq(key, value) = (0 to 1).map(i => asRead(file.getChildren.get(i), wanted.getChildren.get(i)))
      TypeDescription.createMap(key, value)
    case _ => if (covers(file, wanted)) file.clone() else wanted.clone()
  }

  /** A vector of primitive values and the one that takes its place. */
  final private class Leaf(
      source: ColumnVector,
      wanted: TypeDescription,
      size: () => Int,
      put: ColumnVector => Unit,
      isHybrid: Boolean
  ) {
    private val target: ColumnVector = wanted.getCategory match {
      case FLOAT | DOUBLE => new DoubleColumnVector
      case DECIMAL        => new DecimalColumnVector(wanted.getPrecision, wanted.getScale)
      case _              => new BytesColumnVector
    }

    private lazy val hybrid = new GregorianCalendar(TimeZone.getTimeZone("UTC"))

    def open(): Unit = put(source)
    def close(): Unit = put(target)

    def convert(): Unit = {
      val count = if (source.isRepeating) math.min(1, size()) else size()
      target.reset()
      target.ensureSize(count, false)
      target.isRepeating = source.isRepeating
      var i = 0
      while (i < count) {
        if (!source.noNulls && source.isNull(i)) setNull(i) else set(i)
        i += 1
      }
      close()
    }

    private def set(i: Int): Unit = (source, target) match {
      case (s: DoubleColumnVector, t: DoubleColumnVector)  => t.vector(i) = digits(s, i).toDouble
      case (s: DoubleColumnVector, t: DecimalColumnVector) =>
        // null for what is no number; the vector takes those that do not fit for NULL
        Option(HiveDecimal.create(digits(s, i))).fold(setNull(i))(t.set(i, _))
      case (s: DoubleColumnVector, t: BytesColumnVector) =>
        if (s.vector(i).isNaN) setNull(i) else set(t, i, digits(s, i))
      case (s: BytesColumnVector, t: DoubleColumnVector) =>
        val text = new String(s.vector(i), s.start(i), s.length(i), UTF_8)
        try t.vector(i) = java.lang.Float.parseFloat(text).toDouble
        catch { case _: NumberFormatException => setNull(i) }
      case (s: LongColumnVector, t: DoubleColumnVector) => t.vector(i) = s.vector(i).toFloat.toDouble
      case (s: LongColumnVector, t: BytesColumnVector)  => set(t, i, day(s.vector(i)))
      case (s, t)                                       =>
        throw new IllegalStateException(s"a ${s.getClass.getSimpleName} is no ${t.getClass.getSimpleName}")
    }

    private def setNull(i: Int): Unit = {
      target.noNulls = false
      target.isNull(i) = true
    }

    private def digits(v: DoubleColumnVector, i: Int): String = v.vector(i).toFloat.toString

    private def day(epochDay: Long): String =
      if (isHybrid) LocalDate.ofEpochDay(epochDay).toString
      else {
        hybrid.setTimeInMillis(epochDay * MillisPerDay)
        f"${hybrid.get(Calendar.YEAR)}%04d-${hybrid.get(Calendar.MONTH) + 1}%02d-${hybrid.get(Calendar.DATE)}%02d"
      }

    private def set(to: BytesColumnVector, i: Int, value: String): Unit = {
      val bytes = value.getBytes(UTF_8)
      val length = wanted.getCategory match {
        case CHAR    => StringExpr.rightTrimAndTruncate(bytes, 0, bytes.length, wanted.getMaxLength)
        case VARCHAR => StringExpr.truncate(bytes, 0, bytes.length, wanted.getMaxLength)
        case _       => bytes.length
      }
      to.setVal(i, bytes, 0, length)
    }
  }
}
