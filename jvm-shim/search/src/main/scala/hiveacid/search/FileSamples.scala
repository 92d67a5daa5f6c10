package hiveacid.search

import java.sql.Timestamp
import java.util.{Locale, TimeZone}

import scala.jdk.CollectionConverters._

import hiveacid.formats.Evolution
import hiveacid.formats.orc.FileSchema
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.{
  ColumnStatistics,
  DateColumnStatistics,
  DecimalColumnStatistics,
  DoubleColumnStatistics,
  IntegerColumnStatistics,
  Reader,
  StringColumnStatistics,
  TimestampColumnStatistics,
  TypeDescription
}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.api.Binary

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The values that a file's own statistics show, also if no row has them: the least and greatest of each column. Each
  * is given as a value of the column that holds it and nothing else, by the column's index in `required`.
  */
final case class FileSamples(required: StructType, zone: String) {

  /** The samples of the whole file and of its stripes.
    *
    * @param table
    *   all columns of the table's files
    */
  def ofOrc(reader: Reader, table: StructType, evolution: Evolution): Seq[(Int, Any)] = {
    val row = FileSchema.rowOf(reader.getSchema)
    val stripes = reader.getStripeStatistics.asScala.map(_.getColumnStatistics)
    val all = (reader.getStatistics +: stripes.toSeq).distinct
    for {
      (field, i) <- required.fields.toSeq.zipWithIndex
      at = FileSchema.position(row, table, evolution)(field.name) if at >= 0
      statistics <- all
      value <- ofOrcColumn(
        field.dataType,
        row.getChildren.get(at),
        leaf => if (leaf.getId < statistics.length) bounds(statistics(leaf.getId), leaf.getCategory) else Nil
      )
    } yield i -> value
  }

  /** The columns of an ORC file of which `ofOrcText` makes samples, by ORC's numbers: each with its index. */
  def textsOfOrc(file: TypeDescription, table: StructType, evolution: Evolution): Map[Int, (Int, TypeDescription)] = {
    val row = FileSchema.rowOf(file)
    val found = for {
      (field, i) <- required.fields.toSeq.zipWithIndex
      at = FileSchema.position(row, table, evolution)(field.name) if at >= 0
      column = row.getChildren.get(at)
      id <- column.getId to column.getMaximumId
    } yield id -> (i -> column)
    found.toMap
  }

  /** The samples of a text in a leaf of a column of an ORC file. */
  def ofOrcText(i: Int, column: TypeDescription, leaf: Int, text: UTF8String): Seq[Any] =
    ofOrcColumn(required(i).dataType, column, own => if (own.getId == leaf) Seq(Literal(text, StringType)) else Nil)

  private def ofOrcColumn(t: DataType, file: TypeDescription, all: TypeDescription => Seq[Literal]): Seq[Any] =
    (t, file.getCategory) match {
      case (s: StructType, TypeDescription.Category.STRUCT) =>
        val names = file.getFieldNames.asScala.map(_.toLowerCase(Locale.ROOT))
        for {
          (field, i) <- s.fields.toSeq.zipWithIndex
          at = names.indexOf(field.name.toLowerCase(Locale.ROOT)) if at >= 0
          value <- ofOrcColumn(field.dataType, file.getChildren.get(at), all)
        } yield rowOf(s, i, value)
      case (a: ArrayType, TypeDescription.Category.LIST) =>
        ofOrcColumn(a.elementType, file.getChildren.get(0), all).map(arrayOf)
      case (m: MapType, TypeDescription.Category.MAP) =>
        ofOrcColumn(m.keyType, file.getChildren.get(0), all).map(mapOf(_, null)) ++
          ofOrcColumn(m.valueType, file.getChildren.get(1), all).map(mapOf(null, _))
      case _ => all(file).flatMap(value => zones(value).map(cast(value, t, _))).filter(_ != null).distinct
    }

  /** A wall clock is an instant in the session's zone; Spark's own reader of plain tables takes that of the JVM. */
  private def zones(value: Literal): Seq[String] =
    if (value.dataType == TimestampNTZType) Seq(zone, TimeZone.getDefault.getID).distinct else Seq(zone)

  private def bounds(statistics: ColumnStatistics, category: TypeDescription.Category): Seq[Literal] =
    statistics match {
      case s: StringColumnStatistics =>
        Seq(s.getMinimum, s.getMaximum, s.getLowerBound, s.getUpperBound).filter(_ != null).distinct.map(Literal(_))
      case s: IntegerColumnStatistics if s.getMinimum <= s.getMaximum =>
        Seq(Literal(s.getMinimum), Literal(s.getMaximum))
      case s: DateColumnStatistics =>
        Seq(s.getMinimumDayOfEpoch, s.getMaximumDayOfEpoch).map(day => Literal(day.toInt, DateType))
      case s: DecimalColumnStatistics =>
        Seq(s.getMinimum, s.getMaximum).filter(_ != null).map(d => Literal(Decimal(d.bigDecimalValue)))
      case s: DoubleColumnStatistics    => Seq(Literal(s.getMinimum), Literal(s.getMaximum))
      case s: TimestampColumnStatistics =>
        val stored = if (category == TypeDescription.Category.TIMESTAMP) TimestampNTZType else TimestampType
        Seq(s.getMinimumUTC, s.getMaximumUTC).filter(_ != null).flatMap(micros).distinct.map(Literal(_, stored))
      case _ => Nil
    }

  /** Older writers keep milliseconds, for which the reader fills up the digits behind: of the greatest with nines. */
  private def micros(moment: Timestamp): Seq[Long] = {
    val exact = Math.floorDiv(moment.getTime, 1000L) * 1000000L + moment.getNanos / 1000
    if (moment.getNanos % 1000000 == 999999) Seq(exact, moment.getTime * 1000L) else Seq(exact)
  }

  /** The samples of the row groups of a Parquet file. */
  def ofParquet(path: Path, conf: Configuration): Seq[(Int, Any)] =
    FileSamples.withRowGroups(path, conf) { groups =>
      for {
        group <- groups
        column <- group.getColumns.asScala
        text <- texts(column)
        sample <- ofParquetText(column.getPath.toArray.toSeq, text)
      } yield sample
    }

  /** The sample of a text in the column of that path in a Parquet file, None if no condition needs it. */
  def ofParquetText(path: Seq[String], text: UTF8String): Option[(Int, Any)] = {
    val i = indexOf(path)
    if (i < 0) None else ofParquetColumn(required(i).dataType, path.tail.toList, text).map(i -> _)
  }

  def isOfParquet(path: Seq[String]): Boolean = indexOf(path) >= 0

  private def indexOf(path: Seq[String]) = required.fields.indexWhere(_.name.equalsIgnoreCase(path.head))

  private def texts(column: ColumnChunkMetaData): Seq[UTF8String] = {
    val statistics: Statistics[_] = column.getStatistics
    if (statistics == null || !statistics.hasNonNullValue) Nil
    else
      (statistics.genericGetMin, statistics.genericGetMax) match {
        case (least: Binary, greatest: Binary) if column.getPrimitiveType.getLogicalTypeAnnotation == null =>
          Seq(least, greatest).map(bytes => UTF8String.fromBytes(bytes.getBytes)).distinct
        case _ => Seq(statistics.minAsString, statistics.maxAsString).distinct.map(UTF8String.fromString)
      }
  }

  private def ofParquetColumn(t: DataType, parts: List[String], text: UTF8String): Option[Any] = (t, parts) match {
    case (s: StructType, name :: rest) =>
      val i = s.fields.indexWhere(_.name.equalsIgnoreCase(name))
      if (i < 0) None else ofParquetColumn(s(i).dataType, rest, text).map(rowOf(s, i, _))
    case (a: ArrayType, _ :: _ :: rest)    => ofParquetColumn(a.elementType, rest, text).map(arrayOf)
    case (m: MapType, _ :: "key" :: rest)  => ofParquetColumn(m.keyType, rest, text).map(mapOf(_, null))
    case (m: MapType, _ :: _ :: rest)      => ofParquetColumn(m.valueType, rest, text).map(mapOf(null, _))
    case (_: StructType | _: ArrayType, _) => None
    case (leaf, _)                         => Option(cast(Literal(text, StringType), leaf, zone))
  }

  /** Null for a value that is none of the type. */
  private def cast(value: Literal, t: DataType, zone: String): Any =
    if (!Cast.canTryCast(value.dataType, t)) null else Cast(value, t, Some(zone), EvalMode.TRY).eval()

  private def rowOf(s: StructType, i: Int, value: Any): InternalRow =
    InternalRow.fromSeq(s.fields.indices.map(at => if (at == i) value else null))
  private def arrayOf(value: Any): GenericArrayData = new GenericArrayData(Array[Any](value))
  private def mapOf(key: Any, value: Any): ArrayBasedMapData = new ArrayBasedMapData(arrayOf(key), arrayOf(value))
}

object FileSamples {

  /** The rows that the footer of a Parquet file tells of. */
  def countParquetRows(path: Path, conf: Configuration): Long = withRowGroups(path, conf)(_.map(_.getRowCount).sum)

  private def withRowGroups[T](path: Path, conf: Configuration)(body: Seq[BlockMetaData] => T): T = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
    try body(reader.getFooter.getBlocks.asScala.toSeq)
    finally reader.close()
  }
}
