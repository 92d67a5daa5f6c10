package hiveacid.storage

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.fs.permission.AclEntryScope
import org.apache.hadoop.fs.viewfs.ViewFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus

/** The gifts of a folder to the files that are made in it, and the places that these may be renamed to.
  *
  * HDFS gives group, default ACL, encryption zone and erasure coding when a file is made. A rename keeps what the file
  * has got, and is refused across zones, name services and mounts, those of a router too.
  */
object Homes {
  private val roots = new EnclosingRoots(EnclosingRoots.ofHadoop)

  /** A text that two folders have in common if files can be made in one and renamed into the other, as if they had been
    * made there.
    */
  def of(path: Path, conf: Configuration): String = {
    val mounted = resolve(path, conf)
    val system = mounted.getFileSystem(conf)
    val own = system match {
      case hdfs: DistributedFileSystem => inherited(hdfs, mounted)
      case _                           => Nil
    }
    (system.getUri.toString +: own).mkString("|")
  }

  /** Behind the mounts of viewfs. */
  def resolve(path: Path, conf: Configuration): Path = path.getFileSystem(conf) match {
    case mounts: ViewFileSystem => mounts.resolvePath(path)
    case _                      => path
  }

  private def inherited(hdfs: DistributedFileSystem, path: Path): Seq[String] = {
    val status = hdfs.getFileStatus(path)
    val zone = if (status.isEncrypted) Option(hdfs.getEZForPath(path)).map(_.getPath) else None
    val acl = if (status.hasAcl) defaultAcl(hdfs, path) else ""
    Seq(status.getGroup, zone.getOrElse(""), codingOf(status), acl, roots.find(hdfs, path))
  }

  private def codingOf(status: FileStatus): String = status match {
    case hdfs: HdfsFileStatus => Option(hdfs.getErasureCodingPolicy).fold("")(_.getName)
    case _                    => ""
  }

  private def defaultAcl(system: FileSystem, path: Path): String =
    system.getAclStatus(path).getEntries.asScala.filter(_.getScope == AclEntryScope.DEFAULT).mkString(",")
}
