package hiveacid.formats

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** Folders and files directly in a folder. */
object Children {

  /** In the file system's order. Throws FileNotFoundException for a folder that is missing, also for one that goes away
    * while it is listed: there Hadoop says of local folders that they may not be read, for it looks twice
    * (`FileUtil.list`, Hadoop 3.3.4 to 3.5.0).
    */
  def of(system: FileSystem, folder: Path): Array[FileStatus] =
    try system.listStatus(folder)
    catch {
      case e: IOException if !e.isInstanceOf[FileNotFoundException] && isGone(system, folder) =>
        throw new FileNotFoundException(s"$folder is gone: $e").initCause(e)
    }

  private def isGone(system: FileSystem, folder: Path) =
    try !system.exists(folder)
    catch { case _: IOException => false }
}
