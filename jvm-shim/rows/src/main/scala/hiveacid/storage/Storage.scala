package hiveacid.storage

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, FileSystemException}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE

import scala.collection.immutable.ListMap

import hiveacid.errors.StorageFailure
import hiveacid.formats.{Children, NewFiles, SideBySide}
import hiveacid.formats.orc.FileRowCounts
import hiveacid.wire.{FileVersion, PendingUpload, Wire}
import hiveacid.write.{OutputCommits, PendingUploads}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FileUtil, LocalFileSystem, Options, Path}
import org.apache.hadoop.fs.permission.FsAction
import org.apache.hadoop.fs.viewfs.ViewFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.StringUtils

import org.apache.spark.sql.classic.SparkSession

/** Python's operations on storage. Listings travel as one string: a thousand folders through py4j objects take ten
  * times as long. `FileStatus.getPermission` is never touched and `listFiles(recursive)` never used: on local files
  * both start a process per file.
  */
final class Storage(session: SparkSession) {
  import Storage._

  private val conf: Configuration = session.sessionState.newHadoopConf()
  private def fileSystem(path: String): FileSystem = new Path(path).getFileSystem(conf)

  /** All files and folders below each root of the JSON array `roots`, as a JSON array of `ListedTree`; with hidden
    * folders, and files that the file system leaves out, if they are wanted.
    */
  def list(roots: String, withHidden: Boolean): String =
    Wire.write(Trees.list(texts(roots), withHidden, conf))

  /** Paths of the hidden folders directly below each root of the JSON array `roots`, as the root is spelled; a JSON
    * array.
    */
  def hiddenFolders(roots: String): String =
    Wire.write(
      SideBySide
        .map(texts(roots), FewestAsked) { root =>
          val path = new Path(root)
          val children =
            try Children.of(path.getFileSystem(conf), path)
            catch { case _: FileNotFoundException => Array.empty[FileStatus] }
          val names = children.filter(_.isDirectory).map(_.getPath.getName).filter(Trees.isHidden)
          names.map(name => s"${root.stripSuffix("/")}/$name")
        }
        .flatten
    )

  def readText(path: String): String = {
    val in = fileSystem(path).open(new Path(path))
    try new String(in.readAllBytes(), UTF_8)
    finally in.close()
  }

  /** Null for a file that is missing. */
  def readBytes(path: String): Array[Byte] =
    try {
      val in = fileSystem(path).open(new Path(path))
      try in.readAllBytes()
      finally in.close()
    } catch { case _: FileNotFoundException => null }

  /** So many bytes from `start` on, fewer only at the end of the file. */
  def readRange(path: String, start: Long, lengthBytes: Int): Array[Byte] = {
    val in = fileSystem(path).open(new Path(path))
    try {
      in.seek(start)
      in.readNBytes(lengthBytes)
    } finally in.close()
  }

  /** The number of rows of each ORC file, a JSON array; `files` is one of `FileVersion`. */
  def rowCounts(table: String, files: String): String = {
    Wire.write(FileRowCounts.of(Wire.read[Seq[FileVersion]](files), conf, table))
  }

  /** Storage's own checksums of the files in the JSON array `paths`, in hexadecimal, as a JSON array; empty where it
    * keeps none.
    */
  def checksums(paths: String): String =
    Wire.write(SideBySide.map(texts(paths), FewestAsked) { path =>
      Option(fileSystem(path).getFileChecksum(new Path(path)))
        .fold("")(sum => StringUtils.byteToHexString(sum.getBytes, 0, sum.getLength))
    })

  /** The condition for an error of one of these methods. */
  def conditionOf(error: Throwable): String = StorageFailure.condition(error)

  /** True if `closed` asks storage of this path: HDFS is asked. Local folders are not, because a process would be
    * started for each.
    */
  def tellsRights(path: String): Boolean = fileSystem(path) match {
    case _: DistributedFileSystem | _: ViewFileSystem => true
    case _                                            => false
  }

  /** Why storage would not let this user make files in these folders of the JSON array `paths`: a JSON object with
    * those where it would not, in order. A folder that is missing passes.
    */
  def closed(paths: String): String = {
    val told = SideBySide.map(texts(paths).filter(tellsRights), FewestAsked) { path =>
      try {
        fileSystem(path).access(new Path(path), FsAction.WRITE_EXECUTE)
        None
      } catch {
        case _: FileNotFoundException  => None
        case e: AccessControlException => Some(path -> e.toString.linesIterator.next())
      }
    }
    Wire.write(ListMap(told.flatten: _*))
  }

  /** The gifts of each folder of the JSON array `paths` to its files (`Homes`), as a JSON array. */
  def homes(paths: String): String = {
    Wire.write(SideBySide.map(texts(paths).map(new Path(_)), FewestAsked)(Homes.of(_, conf)))
  }

  /** The folders that this user's trash has for each of the JSON array `paths`: the one that a file there is moved into
    * (that of its encryption zone, if it lies in one), and the one in the user's home. A JSON array, each once.
    */
  def trashRoots(paths: String): String =
    Wire.write(
      SideBySide
        .map(texts(paths), FewestAsked) { path =>
          val system = fileSystem(path)
          Seq(system.getTrashRoot(new Path(path)), new Path(system.getHomeDirectory, FileSystem.TRASH_PREFIX))
        }
        .flatten
        .map(_.toString)
        .distinct
    )

  /** Copies a folder with all it holds. The target must not exist. */
  def copyTree(source: String, target: String): Unit = {
    val (from, to) = (fileSystem(source), NewFiles.fileSystem(new Path(target), conf))
    if (!to.mkdirs(new Path(target))) throw new java.io.IOException(s"$target was not made")
    SideBySide.map(from.listStatus(new Path(source)).toSeq) { file =>
      val copy = new Path(target, file.getPath.getName)
      if (!FileUtil.copy(from, file, to, copy, false, true, conf)) throw new java.io.IOException(s"$copy was not made")
    }
  }

  def exists(path: String): Boolean = fileSystem(path).exists(new Path(path))
  def makeFolder(path: String): Unit =
    require(NewFiles.fileSystem(new Path(path), conf).mkdirs(new Path(path)), s"$path was not made")

  def writeText(path: String, text: String): Unit = {
    val out = NewFiles.fileSystem(new Path(path), conf).create(new Path(path), true)
    try out.write(text.getBytes(UTF_8))
    finally out.close()
  }

  /** Renames a file or folder. One that has the name already is neither replaced nor, as Hadoop has it, moved into,
    * also if it appears at the last moment: HDFS and the local file system look and rename in one step, also behind the
    * mounts of viewfs.
    */
  def rename(source: String, target: String): Unit = {
    val (from, to) = (new Path(source), new Path(target))
    fileSystem(source) match {
      case mounts: ViewFileSystem =>
        val mounted = mounts.resolvePath(from)
        renameIn(mounted.getFileSystem(conf), mounted, new Path(mounts.resolvePath(to.getParent), to.getName))
      case system => renameIn(system, from, to)
    }
  }

  private def renameIn(system: FileSystem, from: Path, to: Path): Unit = system match {
    case hdfs: DistributedFileSystem => // throws FileAlreadyExistsException
      hdfs.rename(from, to, Options.Rename.NONE)
    case local: LocalFileSystem if local.getFileStatus(from).isDirectory => moveFolder(local, from, to)
    case _                                                               => renameAndLook(system, from, to)
  }

  /** As rename(2) has it: a folder takes the place of nothing but an empty folder. */
  private def moveFolder(local: LocalFileSystem, from: Path, to: Path): Unit =
    try Files.move(local.pathToFile(from).toPath, local.pathToFile(to).toPath, ATOMIC_MOVE)
    catch {
      case _: FileSystemException if local.exists(to) => throw new FileAlreadyExistsException(to.toString)
    }

  /** Others are looked at before, and afterwards too: then what was moved into a folder is taken out again. */
  private def renameAndLook(system: FileSystem, from: Path, to: Path): Unit = {
    if (system.exists(to)) throw new FileAlreadyExistsException(to.toString)
    if (!system.rename(from, to)) throw new java.io.IOException(s"$from was not renamed")
    val within = new Path(to, from.getName)
    if (system.exists(within)) {
      system.rename(within, from)
      throw new FileAlreadyExistsException(to.toString)
    }
  }

  def deleteTree(path: String): Unit = {
    val system = fileSystem(path)
    if (system.exists(new Path(path)) && !system.delete(new Path(path), true))
      throw new java.io.IOException(s"$path was not removed")
  }

  /** Before tasks write below these folders (a JSON array) for a committer's job. */
  def setUpOutput(job: String, roots: String): Unit = texts(roots).foreach(commits(job).setUp)

  /** The attempts that have begun to write below each of these folders: a JSON object. */
  def outputAttempts(job: String, roots: String): String = {
    val all = commits(job)
    Wire.write(texts(roots).map(root => root -> all.attempts(root)).toMap)
  }

  /** Removes what attempts wrote; `attempts` is a JSON object, by folder. */
  def abortAttempts(job: String, attempts: String): Unit = byRoot(attempts).foreach { case (root, names) =>
    commits(job).abortTasks(root, names)
  }

  /** Chooses the attempts whose files are to be put in place; a JSON object, by folder. */
  def commitAttempts(job: String, attempts: String): Unit = byRoot(attempts).foreach { case (root, names) =>
    commits(job).commitTasks(root, names)
  }

  /** Puts the files of the chosen attempts in place. */
  def commitOutput(job: String, roots: String): Unit = texts(roots).foreach(commits(job).commit)

  /** Removes all that was not put in place. */
  def abortOutput(job: String, roots: String): Unit = texts(roots).foreach(commits(job).abort)

  /** Uploads that have neither ended nor been given up, below each folder of a JSON array: a JSON array. */
  def pendingUploads(roots: String): String =
    Wire.write(texts(roots).flatMap(PendingUploads.list(_, conf)).distinct)

  /** Gives up each upload of a JSON array. */
  def abortUploads(uploads: String): Unit =
    PendingUploads.abort(Wire.read[Seq[PendingUpload]](uploads), conf)

  private def commits(job: String) = new OutputCommits(job, conf)
  private def texts(array: String): Seq[String] = Wire.read[Seq[String]](array)
  private def byRoot(attempts: String): Map[String, Seq[String]] = Wire.read[Map[String, Seq[String]]](attempts)
}

object Storage {

  /** A few questions take less time than threads. */
  private val FewestAsked = 4
}
