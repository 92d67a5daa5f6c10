package hiveacid.formats.orc

import java.io.Closeable

import hiveacid.formats.CountedFile
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch
import org.apache.orc.Writer

/** An ORC file that is being written; `bytes` is its length once it is closed. */
final private[orc] class OrcOutput(writer: Writer, file: CountedFile) extends Closeable {
  def addRowBatch(batch: VectorizedRowBatch): Unit = writer.addRowBatch(batch)
  def bytes: Long = file.bytes
  override def close(): Unit = writer.close()
}
