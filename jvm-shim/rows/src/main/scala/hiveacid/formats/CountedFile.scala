package hiveacid.formats

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FilterFileSystem, FSDataOutputStream, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** The file system by which one file is made; it knows how many bytes were written. On object stores the length of a
  * file is told only once its upload is complete, which is later than its writer has ended.
  */
final class CountedFile(path: Path, conf: Configuration) extends FilterFileSystem(NewFiles.fileSystem(path, conf)) {
  private var stream: Option[FSDataOutputStream] = None

  def bytes: Long = stream.fold(0L)(_.getPos)

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    noted(super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress))

  // some file systems create files otherwise without permissions
  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = noted(fs.create(path, overwrite, bufferSize, replication, blockSize, progress))

  private def noted(opened: FSDataOutputStream): FSDataOutputStream = {
    stream = Some(opened)
    opened
  }

  override def getDefaultReplication(path: Path): Short = fs.getDefaultReplication(path)
  override def getDefaultBlockSize(path: Path): Long = fs.getDefaultBlockSize(path)
}

/** The same for Parquet. */
final class CountedOutputFile(path: Path, conf: Configuration) extends OutputFile {
  private val file = HadoopOutputFile.fromPath(path, conf)
  private var stream: Option[PositionOutputStream] = None

  def bytes: Long = stream.fold(0L)(_.getPos)

  override def create(blockSizeHint: Long): PositionOutputStream = opened(file.create(blockSizeHint))
  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
    opened(file.createOrOverwrite(blockSizeHint))
  override def supportsBlockSize(): Boolean = file.supportsBlockSize()
  override def defaultBlockSize(): Long = file.defaultBlockSize()
  override def getPath: String = file.getPath

  private def opened(out: PositionOutputStream): PositionOutputStream = {
    stream = Some(out)
    out
  }
}
