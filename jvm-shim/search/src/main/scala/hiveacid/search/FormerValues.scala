package hiveacid.search

import java.util.{Map => JMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.orc.{Reader, TypeDescription}
import org.apache.orc.TypeDescription.Category
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.api.ReadSupport.ReadContext
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.api._
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation

import org.apache.spark.unsafe.types.UTF8String

/** Values of former columns that are subjects', in one part of a file.
  *
  * @param subjects
  *   by which values are judged
  */
final class FormerValues(subjects: SubjectValues) {
  private val hits = mutable.LinkedHashSet.empty[String]

  /** The paths of the columns in which there was one. */
  def columns: Seq[String] = hits.toSeq

  /** Reads the stripes that begin in a range of bytes. */
  def searchOrc(reader: Reader, leaves: Map[Int, FormerColumn], start: Long, length: Long): Unit =
    if (leaves.nonEmpty) {
      val schema = reader.getSchema
      val isRead = new Array[Boolean](schema.getMaximumId + 1)
      for (leaf <- leaves.keys; t <- Iterator.iterate(schema.findSubtype(leaf))(_.getParent).takeWhile(_ != null))
        isRead(t.getId) = true
      val batch = schema.createRowBatch()
      val rows = reader.rows(reader.options().include(isRead).range(start, length))
      try
        while (rows.nextBatch(batch))
          for ((field, vector) <- schema.getChildren.asScala.zip(batch.cols); row <- 0 until batch.size)
            look(field, vector, row)
      finally rows.close()

      def look(file: TypeDescription, vector: ColumnVector, row: Int): Unit = {
        val at = if (vector.isRepeating) 0 else row
        if (isRead(file.getId) && (vector.noNulls || !vector.isNull(at))) vector match {
          case s: StructColumnVector =>
            file.getChildren.asScala.zip(s.fields).foreach { case (child, field) => look(child, field, at) }
          case l: ListColumnVector =>
            elements(l, at).foreach(look(file.getChildren.get(0), l.child, _))
          case m: MapColumnVector =>
            elements(m, at).foreach { i =>
              look(file.getChildren.get(0), m.keys, i)
              look(file.getChildren.get(1), m.values, i)
            }
          case u: UnionColumnVector => look(file.getChildren.get(u.tags(at)), u.fields(u.tags(at)), at)
          case b: BytesColumnVector =>
            searchText(leaves(file.getId), UTF8String.fromBytes(b.vector(at), b.start(at), b.length(at)))
          case n: LongColumnVector if FormerValues.Numbers(file.getCategory) =>
            searchNumber(leaves(file.getId), n.vector(at))
          case _ =>
        }
      }
    }

  private def elements(vector: MultiValuedColumnVector, row: Int): Seq[Int] =
    (0 until vector.lengths(row).toInt).map(vector.offsets(row).toInt + _)

  /** Reads the row groups whose middle lies in a range of bytes. */
  def searchParquet(
      path: Path,
      conf: Configuration,
      former: Map[Seq[String], FormerColumn],
      start: Long,
      end: Long
  ): Unit =
    if (former.nonEmpty) {
      val support = new Values(former)
      val reader =
        new Builder(HadoopInputFile.fromPath(path, conf), support).withConf(conf).withFileRange(start, end).build()
      try while (reader.read() != null) {}
      finally reader.close()
    }

  /** A value of a dictionary, used or not. */
  def searchText(column: FormerColumn, text: UTF8String): Unit =
    note(column.path)(column.hides(text) && subjects.hasText(text))

  private def searchNumber(column: FormerColumn, number: Long): Unit =
    note(column.path)(column.hides(number) && subjects.hasNumber(number))

  private def note(name: String)(isSubject: => Boolean): Unit = if (!hits(name) && isSubject) hits += name

  private class Builder(file: InputFile, support: Values) extends ParquetReader.Builder[Values](file) {
    override protected def getReadSupport(): ReadSupport[Values] = support
  }

  /** Looks at each value of these columns. Records are nothing but a sign that there was one. */
  private class Values(names: Map[Seq[String], FormerColumn]) extends ReadSupport[Values] {
    override def init(context: InitContext): ReadContext =
      new ReadContext(pruned(context.getFileSchema, Nil).get.asInstanceOf[MessageType])

    private def pruned(group: GroupType, path: Seq[String]): Option[Type] = {
      val kept = group.getFields.asScala.flatMap { field =>
        val own = path :+ field.getName
        if (field.isPrimitive) Some(field).filter(_ => names.contains(own)) else pruned(field.asGroupType, own)
      }
      if (kept.isEmpty) None
      else
        Some(group match {
          case m: MessageType => new MessageType(m.getName, kept.asJava)
          case other          => other.withNewFields(kept.asJava)
        })
    }

    override def prepareForRead(
        conf: Configuration,
        metadata: JMap[String, String],
        fileSchema: MessageType,
        context: ReadContext
    ): RecordMaterializer[Values] = new RecordMaterializer[Values] {
      private val root = new Group(context.getRequestedSchema, Nil)
      override def getRootConverter: GroupConverter = root
      override def getCurrentRecord: Values = Values.this
    }

    private class Group(schema: GroupType, path: Seq[String]) extends GroupConverter {
      private val fields: Array[Converter] = schema.getFields.asScala.map { field =>
        val own = path :+ field.getName
        if (field.isPrimitive) new Value(names(own), FormerValues.isNumber(field))
        else new Group(field.asGroupType, own)
      }.toArray
      override def getConverter(i: Int): Converter = fields(i)
      override def start(): Unit = ()
      override def end(): Unit = ()
    }

    private class Value(column: FormerColumn, isNumber: Boolean) extends PrimitiveConverter {
      override def addBinary(value: Binary): Unit = searchText(column, UTF8String.fromBytes(value.getBytesUnsafe))
      override def addInt(value: Int): Unit = if (isNumber) searchNumber(column, value.toLong)
      override def addLong(value: Long): Unit = if (isNumber) searchNumber(column, value)
      override def addBoolean(value: Boolean): Unit = ()
      override def addFloat(value: Float): Unit = ()
      override def addDouble(value: Double): Unit = ()
    }
  }
}

object FormerValues {
  private val Numbers = Set(Category.BYTE, Category.SHORT, Category.INT, Category.LONG)

  private def isNumber(field: Type): Boolean = field.getLogicalTypeAnnotation match {
    case null                        => true
    case _: IntLogicalTypeAnnotation => true
    case _                           => false
  }
}
