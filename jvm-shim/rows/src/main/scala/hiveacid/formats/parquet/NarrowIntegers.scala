package hiveacid.formats.parquet

import scala.jdk.CollectionConverters._

import hiveacid.errors.{Refusal, UnsupportedTypeException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.statistics.IntStatistics
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{GroupType, PrimitiveType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32

import org.apache.spark.sql.types._

/** Columns of TINYINT and SMALLINT whose files hold wider integers, from before the type was changed. Spark's reader
  * cuts bits off them, Hive shows NULL for what does not fit (seen with 4.1.0).
  */
object NarrowIntegers {

  /** A TINYINT or SMALLINT, where it is in the file, and its bits. */
  final private case class Narrow(path: Seq[String], column: PrimitiveType, bits: Int)

  /** Whether there is one within the type. */
  def isWithin(t: DataType): Boolean = t match {
    case ByteType | ShortType => true
    case s: StructType        => s.exists(f => isWithin(f.dataType))
    case a: ArrayType         => isWithin(a.elementType)
    case m: MapType           => isWithin(m.keyType) || isWithin(m.valueType)
    case _                    => false
  }

  /** Looks at the end of the file.
    *
    * @throws UnsupportedTypeException
    *   unless all values are known to fit, by what the file says of its types or by its statistics
    */
  def check(path: Path, conf: Configuration, required: StructType): Unit = {
    val options = HadoopReadOptions.builder(conf, path).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
    try {
      val wider = narrow(required, reader.getFooter.getFileMetaData.getSchema, Nil).filter(n => !isDeclared(n))
      wider.find(n => !reader.getFooter.getBlocks.asScala.forall(fits(_, n))).foreach { n =>
        val name = n.path.mkString(".")
        val found = Map("column" -> name, "bits" -> n.bits.toString)
        throw new UnsupportedTypeException(Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.NARROW_INTEGER", found))
      }
    } finally reader.close()
  }

  private def isDeclared(n: Narrow): Boolean = n.column.getLogicalTypeAnnotation match {
    case t: IntLogicalTypeAnnotation => t.isSigned && t.getBitWidth <= n.bits
    case _                           => false
  }

  private def fits(block: BlockMetaData, n: Narrow): Boolean =
    block.getColumns.asScala.filter(_.getPath.toArray.toSeq == n.path).forall(fits(_, n.bits))

  private def fits(chunk: ColumnChunkMetaData, bits: Int): Boolean = chunk.getStatistics match {
    case s: IntStatistics if s.hasNonNullValue => s.getMin >= -limit(bits) && s.getMax < limit(bits)
    case s                                     => s != null && s.isNumNullsSet && s.getNumNulls == chunk.getValueCount
  }

  private def limit(bits: Int) = 1 << (bits - 1)

  /** The columns of the type that the file holds; one of another form there is left to the reader, which refuses it. */
  private def narrow(t: DataType, inFile: Type, path: Seq[String]): Seq[Narrow] = (t, inFile) match {
    case (ByteType | ShortType, p: PrimitiveType) if p.getPrimitiveTypeName == INT32 =>
      Seq(Narrow(path, p, if (t == ByteType) 8 else 16))
    case (s: StructType, g: GroupType) =>
      s.fields.toSeq.flatMap { f =>
        g.getFields.asScala.find(_.getName.equalsIgnoreCase(f.name)).toSeq.flatMap(within(f.dataType, _, path))
      }
    case (a: ArrayType, g: GroupType) =>
      g.getFields.asScala.toSeq.take(1).flatMap { repeated =>
        val here = path :+ repeated.getName
        if (isElement(repeated)) narrow(a.elementType, repeated, here)
        else within(a.elementType, repeated.asGroupType.getType(0), here)
      }
    case (m: MapType, g: GroupType) =>
      g.getFields.asScala.toSeq.filterNot(_.isPrimitive).take(1).map(_.asGroupType).flatMap { pairs =>
        Seq(m.keyType, m.valueType).zip(pairs.getFields.asScala).flatMap { case (child, field) =>
          within(child, field, path :+ pairs.getName)
        }
      }
    case _ => Nil
  }

  private def within(t: DataType, field: Type, path: Seq[String]) = narrow(t, field, path :+ field.getName)

  /** Older lists have no level for the element itself (the format's rules for backward compatibility). */
  private def isElement(repeated: Type): Boolean =
    repeated.isPrimitive || repeated.asGroupType.getFieldCount != 1 || repeated.getName == "array" ||
      repeated.getName.endsWith("_tuple")
}
