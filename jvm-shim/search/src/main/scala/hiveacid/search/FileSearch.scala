package hiveacid.search

import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import hiveacid.errors.AcidException
import hiveacid.formats.Evolution
import hiveacid.formats.orc.{AcidOrcFileFormat, EncryptedColumns, FileSchema, TableOrcFileFormat}
import hiveacid.wire.{SearchedFile, SearchResult}
import org.apache.hadoop.fs.Path
import org.apache.orc.{OrcFile, Reader, TypeDescription}

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  BoundReference,
  Expression,
  GenericInternalRow,
  Or,
  Predicate
}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** A way in which an engine may find a table's columns in files, and the readers that find them so. */
final case class Reading(evolution: Evolution, readers: RowReaders)

/** Searches files for rows that meet one of `conditions` in one of `readings`, in a task. A fault of one file is told
  * of it alone.
  *
  * @param conditions
  *   bound to rows of the `required` columns, and those of partitions behind them
  * @param table
  *   all columns of the files
  * @param subjects
  *   who is looked for in columns that the table has no more
  */
final case class FileSearch(
    conditions: Seq[Expression],
    readings: Seq[Reading],
    required: StructType,
    partitionCount: Int,
    table: StructType,
    zone: String,
    conf: SerializableConfiguration,
    subjects: SubjectValues
) {

  /** The results in the order of the parts; the iterator is for one task. The statistics are searched with the first
    * part of a file.
    */
  def search(parts: Iterator[FilePart]): Iterator[PartResult] = {
    val anyMet = conditions.reduceOption(Or).map(Predicate.create(_))
    anyMet.foreach(_.initialize(0))
    parts.map(searchOne(_, anyMet))
  }

  private def searchOne(part: FilePart, anyMet: Option[BasePredicate]): PartResult = {
    val file = part.placed.file
    var (rowCount, matchCount, inStatistics, inDictionary, fileRows) = (0L, 0L, false, false, Option.empty[Long])
    val former = new FormerValues(subjects)
    def result(problem: Option[String]) = {
      val found =
        SearchResult(file.path, rowCount, matchCount, inStatistics, inDictionary, former.columns, problem)
      PartResult(part.number, found, fileRows)
    }
    try {
      val values = part.placed.values.fold(problem => throw new Unsearchable(problem), identity)
      findContent(file).foreach { found =>
        val (rowsOfFile, samples) = readFooter(new Path(file.path), found, takesSamples = part.isFirst)
        fileRows = Some(rowsOfFile)
        inStatistics = samples.exists { case (i, value) => isMet(i, value, values) }
        rows(found, part, values).foreach { readings =>
          rowCount += 1
          if (readings.exists(row => anyMet.exists(met => evaluated(met.eval(row))))) matchCount += 1
        }
        inDictionary = searchUnshown(part, found, former, isMet(_, _, values))
      }
      result(None)
    } catch {
      case e: TaskKilledException                                             => throw e
      case NonFatal(e) if Option(TaskContext.get()).exists(_.isInterrupted()) => throw e
      case e: Unsearchable                                                    => result(Some(e.getMessage))
      case e: AcidException                                                   => result(Some(e.getMessage))
      case NonFatal(e)                                                        => result(Some(e.getClass.getName))
    }
  }

  /** Each row of the part as each reading shows it. */
  private def rows(found: Found, part: FilePart, values: InternalRow): Iterator[Seq[InternalRow]] = {
    val all = found.readings.map { reading =>
      val read = reading.readers
        .of(found.content)
        .getOrElse(throw new Unsearchable(s"format ${found.content} cannot be searched"))
      read(splitOf(part, values, reading.evolution))
    }
    all match {
      case Seq(rows) => rows.map(Seq(_))
      case several   =>
        new Iterator[Seq[InternalRow]] {
          override def hasNext: Boolean = {
            val more = several.map(_.hasNext).distinct
            if (more.length > 1) throw new Unsearchable("it has another number of rows by position than by name")
            more.head
          }
          override def next(): Seq[InternalRow] = several.map(_.next())
        }
    }
  }

  /** The content that the file has by its first bytes and schema, and the readings that differ in it; None for one that
    * is empty.
    */
  private def findContent(file: SearchedFile): Option[Found] = {
    val path = new Path(file.path)
    val start = new Array[Byte](FileSearch.MagicBytes)
    val in = path.getFileSystem(conf.value).open(path)
    val count =
      try
        Iterator
          .iterate(0)(n => n + math.max(0, in.read(n.toLong, start, n, start.length - n)))
          .drop(start.length)
          .next()
      finally in.close()
    val magic = new String(start, 0, count, US_ASCII)
    if (count == 0) None
    else if (file.lengthBytes == 0) throw new Unsearchable("it was listed as empty and has bytes: it is being written")
    else if (magic.startsWith("ORC"))
      Some(withOrc(path)(r => Found(FileSearch.contentOf(r.getSchema), differing(r.getSchema))))
    else if (magic == "PAR1") Some(Found(FileContent.Parquet, readings.take(1)))
    else throw new Unsearchable("it is neither ORC nor Parquet")
  }

  /** One of the readings that find the required columns at the same places of the file. */
  private def differing(schema: TypeDescription): Seq[Reading] = {
    val row = FileSchema.rowOf(schema)
    val places = readings.map(r => required.fieldNames.toSeq.map(FileSchema.position(row, table, r.evolution)))
    readings.indices.filter(i => places.indexOf(places(i)) == i).map(readings)
  }

  private def withOrc[T](path: Path)(body: Reader => T): T = {
    val options = OrcFile.readerOptions(TableOrcFileFormat.readConf(conf.value)).useUTCTimestamp(true)
    val reader = OrcFile.createReader(path, options.convertToProlepticGregorian(true))
    try body(reader)
    finally reader.close()
  }

  /** How many rows a file has, and with `takesSamples` those of its statistics. */
  private def readFooter(path: Path, found: Found, takesSamples: Boolean): (Long, Seq[(Int, Any)]) = {
    val samples = FileSamples(required, zone)
    found.content match {
      case FileContent.Parquet =>
        val values = if (takesSamples) samples.ofParquet(path, conf.value) else Nil
        (FileSamples.countParquetRows(path, conf.value), values)
      case _ =>
        withOrc(path) { reader =>
          found.evolutions.foreach(refuseMasked(reader, _))
          val taken = if (takesSamples) found.evolutions else Nil
          (reader.getNumberOfRows, taken.flatMap(samples.ofOrc(reader, table, _)))
        }
    }
  }

  private def refuseMasked(reader: Reader, evolution: Evolution): Unit = if (reader.getEncryptionVariants.nonEmpty) {
    val keys = FileSchema.resolve(reader.getSchema, table, required, evolution).readNames
    val former = formerColumns.fold(Set.empty[Int])(_.ofOrc(reader.getSchema).keySet)
    val row = FileSchema.rowOf(reader.getSchema)
    val searched = row.getFieldNames.asScala.zip(row.getChildren.asScala).collect {
      case (name, field) if keys.contains(name) || (field.getId to field.getMaximumId).exists(former) => name
    }
    val masked = new EncryptedColumns(reader).among(searched.toSeq).filterNot(_.isReadable)
    if (masked.nonEmpty) {
      val (columns, names) = (masked.map(_.name).mkString(", "), masked.flatMap(_.keys).distinct.mkString(", "))
      throw new Unsearchable(s"its columns $columns are encrypted, and the session has none of the keys $names")
    }
  }

  private def formerColumns = if (subjects.isEmpty) None else Some(FormerColumns(table))

  /** Searches what no row shows; whether a dictionary of a key's column holds a value that meets a condition. */
  private def searchUnshown(
      part: FilePart,
      found: Found,
      former: FormerValues,
      isMet: (Int, Any) => Boolean
  ): Boolean = {
    val path = new Path(part.placed.file.path)
    val unshown = new UnshownValues(path, conf.value, FileSamples(required, zone), formerColumns, former, isMet)
    found.content match {
      case FileContent.Parquet => unshown.searchParquet(part)
      case _                   => withOrc(path)(unshown.searchOrc(_, part, table, found.evolutions))
    }
  }

  /** Whether a condition on that column alone is met by the value. */
  private def isMet(column: Int, value: Any, partition: InternalRow): Boolean = {
    val cells = new Array[Any](required.length + partitionCount)
    cells(column) = value
    for (i <- 0 until partitionCount) cells(required.length + i) = partition.asInstanceOf[GenericInternalRow].values(i)
    val row = new GenericInternalRow(cells)
    conditions.filter(dataColumns(_) == Set(column)).exists(met => evaluated(met.eval(row) == true))
  }

  private def dataColumns(condition: Expression): Set[Int] =
    condition.collect { case b: BoundReference if b.ordinal < required.length => b.ordinal }.toSet

  /** An error of an expression may hold the value it failed for, which must not be told. */
  private def evaluated(body: => Boolean): Boolean =
    try body
    catch {
      case NonFatal(e) => throw new Unsearchable(s"a key cannot be computed of a row: ${QuietValue.describe(e)}")
    }

  private def splitOf(part: FilePart, values: InternalRow, evolution: Evolution): PartitionedFile = PartitionedFile(
    partitionValues = values,
    filePath = SparkPath.fromPath(new Path(part.placed.file.path)),
    start = part.start,
    length = part.lengthBytes,
    modificationTime = part.placed.file.modifiedMs,
    fileSize = part.placed.file.lengthBytes,
    otherConstantMetadataColumnValues =
      Map(Evolution.Key -> evolution.format, AcidOrcFileFormat.AnyOperationKey -> "true")
  )
}

object FileSearch {
  private val MagicBytes = 4

  private def contentOf(schema: TypeDescription): FileContent =
    if (FileSchema.isAcid(schema)) FileContent.AcidOrc
    // as Spark's reader judges them (OrcUtils.requestedColumnIds)
    else if (schema.getFieldNames.asScala.forall(_.startsWith("_col"))) FileContent.UnnamedOrc
    else FileContent.FlatOrc
}

/** The content of a file, and the readings of it that are not the same. */
final private case class Found(content: FileContent, readings: Seq[Reading]) {
  def evolutions: Seq[Evolution] = readings.map(_.evolution)
}

/** A file that cannot be searched, and why. */
final private class Unsearchable(reason: String) extends Exception(reason)
