package hiveacid.compact

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.api.ReadSupport.ReadContext
import org.apache.parquet.io.api._
import org.apache.parquet.schema.{GroupType, MessageType}

/** Hands the values of each record that is read, as the file stores them, to a consumer, which may be another one for
  * each record. Records have the file's own schema.
  */
final class RecordCopy extends ReadSupport[RecordCopy] {
  var consumer: RecordConsumer = _

  override def init(context: InitContext): ReadContext = new ReadContext(context.getFileSchema)

  override def prepareForRead(
      conf: Configuration,
      metadata: JMap[String, String],
      fileSchema: MessageType,
      context: ReadContext
  ): RecordMaterializer[RecordCopy] = new RecordMaterializer[RecordCopy] {
    private val root = new CopiedGroup(fileSchema, None)
    override def getRootConverter: GroupConverter = root
    // null would be the end
    override def getCurrentRecord: RecordCopy = RecordCopy.this
  }

  /** All values of a repeated field stand between one start and one end of the field, as its parent sees it. */
  private final class CopiedGroup(schema: GroupType, parent: Option[(CopiedGroup, Int)]) extends GroupConverter {
    private val names = schema.getFields.asScala.map(_.getName).toArray
    private val fields: Array[Converter] = schema.getFields.asScala.zipWithIndex.map { case (field, i) =>
      if (field.isPrimitive) new CopiedValue(this, i) else new CopiedGroup(field.asGroupType, Some((this, i)))
    }.toArray
    private var current = -1

    override def getConverter(i: Int): Converter = fields(i)

    override def start(): Unit = parent match {
      case None                 => consumer.startMessage()
      case Some((group, index)) =>
        group.enter(index)
        consumer.startGroup()
    }

    override def end(): Unit = {
      leave()
      if (parent.isEmpty) consumer.endMessage() else consumer.endGroup()
    }

    def enter(index: Int): Unit = if (index != current) {
      leave()
      consumer.startField(names(index), index)
      current = index
    }

    private def leave(): Unit = if (current >= 0) {
      consumer.endField(names(current), current)
      current = -1
    }
  }

  private final class CopiedValue(parent: CopiedGroup, index: Int) extends PrimitiveConverter {
    override def addBinary(value: Binary): Unit = { parent.enter(index); consumer.addBinary(value) }
    override def addBoolean(value: Boolean): Unit = { parent.enter(index); consumer.addBoolean(value) }
    override def addDouble(value: Double): Unit = { parent.enter(index); consumer.addDouble(value) }
    override def addFloat(value: Float): Unit = { parent.enter(index); consumer.addFloat(value) }
    override def addInt(value: Int): Unit = { parent.enter(index); consumer.addInteger(value) }
    override def addLong(value: Long): Unit = { parent.enter(index); consumer.addLong(value) }
  }
}
