package hiveacid.formats.orc

import java.util.Locale

import scala.jdk.CollectionConverters._

import hiveacid.formats.Evolution
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

/** Where a column of the scan comes from. */
sealed trait Source

object Source {

  /** Field `index` of the row in the reader schema. */
  final case class RowField(index: Int) extends Source

  /** One of the six ACID columns, by position. */
  final case class IdColumn(index: Int) extends Source

  /** The file was written before the column was added to the table. */
  case object Missing extends Source
}

/** How one file is read: the schema handed to ORC and where each column comes from.
  *
  * @param reader
  *   six columns with a pruned `row`; of a file without ACID columns, the pruned row alone
  * @param row
  *   the pruned row within `reader`
  * @param wanted
  *   the same row with the table's types; another than `row` if values are to be converted after ORC, see
  *   [[Hive3Conversions]]
  * @param sources
  *   one for each required column
  * @param rowIncluded
  *   for each field of `row`, whether it is read (positional files keep unread ones in between)
  * @param converts
  *   true if ORC converts a type on the way
  * @param unconverted
  *   lower-case names of top-level columns whose name and type in the file are the table's: filters may be pushed for
  *   them
  */
final case class FileSchema(
    reader: TypeDescription,
    row: TypeDescription,
    wanted: TypeDescription,
    sources: Seq[Source],
    rowIncluded: Seq[Boolean],
    converts: Boolean,
    unconverted: Set[String]
) {

  /** The names of the columns of the row that are read, as the file has them. */
  def readNames: Seq[String] = row.getFieldNames.asScala.toSeq.zip(rowIncluded).collect { case (name, true) => name }
}

object FileSchema {
  val Operation = 0
  val OriginalTransaction = 1
  val Bucket = 2
  val RowId = 3
  val CurrentTransaction = 4
  val Row = 5

  /** The six top-level columns of every ACID file in Hive's spelling, which Hive 4 compares exactly (OrcRecordUpdater);
    * `row` is the sixth.
    */
  val IdColumns: Seq[(String, Category)] = Seq(
    "operation" -> Category.INT,
    "originalTransaction" -> Category.LONG,
    "bucket" -> Category.INT,
    "rowId" -> Category.LONG,
    "currentTransaction" -> Category.LONG
  )
  private val positional = "_col\\d+".r

  /** True if the top level is the six columns in their order; other writers' case is accepted, as by ORC itself. */
  def isAcid(file: TypeDescription): Boolean =
    file.getCategory == Category.STRUCT && {
      val wanted = IdColumns :+ ("row" -> Category.STRUCT)
      val found = file.getFieldNames.asScala.zip(file.getChildren.asScala.map(_.getCategory))
      found.length == wanted.length && found.zip(wanted).forall { case ((name, category), (n, c)) =>
        name.equalsIgnoreCase(n) && category == c
      }
    }

  /** The row within a file, with ACID columns or without. */
  def rowOf(file: TypeDescription): TypeDescription = if (isAcid(file)) file.getChildren.get(Row) else file

  /** Where a column of the table is in the row of a file, by its name; -1 if it is not there. See `resolve`. */
  def position(row: TypeDescription, table: StructType, evolution: Evolution): String => Int = {
    val fields = row.getFieldNames.asScala.toSeq
    if (evolution.byPosition || isUnnamed(fields))
      name => Some(table.fields.indexWhere(_.name.equalsIgnoreCase(name))).filter(_ < fields.length).getOrElse(-1)
    else name => fields.indexWhere(_.equalsIgnoreCase(name))
  }

  private def isUnnamed(fields: Seq[String]) = fields.nonEmpty && fields.forall(positional.pattern.matcher(_).matches)

  /** The schema that an ACID file with these rows would have. */
  def asRow(flat: TypeDescription): TypeDescription =
    IdColumns
      .foldLeft(TypeDescription.createStruct()) { case (schema, (name, category)) =>
        schema.addField(name, new TypeDescription(category))
      }
      .addField("row", flat.clone())

  /** Resolves the required columns in a file, with ACID columns or without.
    *
    * Columns are found by name without regard to case, or by position in the table; by position also where the file has
    * only names like `_col0` (written before the names were known, HIVE-4243). Hive 3.1 goes by name, Hive 4 by
    * position (`orc.force.positional.evolution` in HiveConf): it shows the old values of a renamed column, 3.1 does
    * not. Nested fields are found by name by both.
    *
    * @throws UnsupportedTypeException
    *   for a change of type that is not supported
    */
  def resolve(
      file: TypeDescription,
      table: StructType,
      required: StructType,
      evolution: Evolution = Evolution()
  ): FileSchema = {
    val fileRow = rowOf(file)
    val fields = fileRow.getFieldNames.asScala.toSeq
    val unnamed = isUnnamed(fields)
    val inRow = position(fileRow, table, evolution)

    val wanted = required.fields.toSeq.map { f =>
      AcidOrcFileFormat.idColumns.get(f.name) match {
        case Some(id) => (f, -1, Some(id))
        case None     => (f, inRow(f.name), None)
      }
    }
    val read = wanted.collect { case (f, i, None) if i >= 0 => i -> f }.toMap
    val types = new TypeMapping(evolution.asHive3)
    val kept =
      if (unnamed) (0 to read.keys.foldLeft(-1)(math.max)).toSeq else wanted.map(_._2).filter(_ >= 0).distinct
    val inFile =
      kept.foldLeft(TypeDescription.createStruct())((s, i) => s.addField(fields(i), fileRow.getChildren.get(i).clone()))
    val (tableRow, unconverted) = asTable(inFile, kept.map(read.get), table, types)
    val row = if (evolution.asHive3 && types.converts) Hive3Conversions.asRead(inFile, tableRow) else tableRow
    val reader = if (fileRow eq file) row else withIds(file, row)
    val sources = wanted.map {
      case (_, _, Some(id)) => Source.IdColumn(id)
      case (_, -1, _)       => Source.Missing
      case (_, i, _)        => Source.RowField(kept.indexOf(i))
    }
    FileSchema(reader, row, tableRow, sources, kept.map(read.contains), types.converts, unconverted)
  }

  /** The row of these columns with the table's types, and the lower-case names of those that a filter may be pushed
    * for.
    *
    * @param read
    *   for each column of `inFile` the table's; None for one that is not read
    */
  private def asTable(
      inFile: TypeDescription,
      read: Seq[Option[StructField]],
      table: StructType,
      types: TypeMapping
  ): (TypeDescription, Set[String]) = {
    val raw = table.fields.map(f => f.name.toLowerCase(Locale.ROOT) -> rawType(f)).toMap
    val row = TypeDescription.createStruct()
    val unconverted = Set.newBuilder[String]
    inFile.getFieldNames.asScala.zip(inFile.getChildren.asScala).zip(read).foreach {
      case ((name, file), None)    => row.addField(name, file.clone())
      case ((name, file), Some(f)) =>
        val key = f.name.toLowerCase(Locale.ROOT)
        val t = types.readerType(f.dataType, raw.getOrElse(key, f.dataType), file)
        // filters name the table's column, ORC looks for the file's; statistics of CHAR are those of padded text
        val isPadded = t.getCategory == TypeDescription.Category.CHAR
        if (name.equalsIgnoreCase(key) && sameType(file, t) && !isPadded) unconverted += key
        row.addField(name, t)
    }
    (row, unconverted.result())
  }

  private def withIds(file: TypeDescription, row: TypeDescription): TypeDescription = {
    val reader = TypeDescription.createStruct()
    IdColumns.indices.foreach(i => reader.addField(file.getFieldNames.get(i), file.getChildren.get(i).clone()))
    reader.addField(file.getFieldNames.get(Row), row)
  }

  /** The column's type with CHAR and VARCHAR, which Spark keeps in the metadata of a STRING column. */
  private def rawType(field: StructField): DataType =
    CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  private def sameType(a: TypeDescription, b: TypeDescription): Boolean =
    a.getCategory == b.getCategory && a.getCategory.isPrimitive && a.toString == b.toString
}
