package hiveacid.formats

import java.nio.file.{FileSystems, Files}
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission

/** The file system by which files and folders are made.
  *
  * On local files Hadoop, without its native library, starts a process for each of them, which sets the permissions
  * that it nearly always has: a small statement started twenty.
  */
object NewFiles {

  /** Hadoop's, and what a Hive on the class path puts in its place. Somebody else's does what they want. */
  private val Plain = Set(classOf[LocalFileSystem].getName, "org.apache.hadoop.hive.ql.io.ProxyLocalFileSystem")
  private val hasPermissions = FileSystems.getDefault.supportedFileAttributeViews.contains("posix")

  def fileSystem(path: Path, conf: Configuration): FileSystem = path.getFileSystem(conf) match {
    case local: LocalFileSystem if hasPermissions && Plain(local.getClass.getName) =>
      val system = new LocalFileSystem(new Looking)
      system.initialize(local.getUri, conf)
      system
    case other => other
  }

  /** Java would take the bit away by which files get the group of their folder: what differs is left to `chmod`. */
  final private class Looking extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = {
      val found = PosixFilePermissions.toString(Files.getPosixFilePermissions(pathToFile(path).toPath))
      if (found != permission.toString) super.setPermission(path, permission)
    }
  }
}
