package hiveacid.api

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, FileSystemException}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE

import hiveacid.formats.orc.FileRowCounts
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, LocalFileSystem, Options, Path}
import org.apache.hadoop.fs.viewfs.ViewFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.util.StringUtils

import org.apache.spark.sql.classic.SparkSession

/** What Python does to storage. Listings travel as one string: a thousand folders through py4j objects take ten times
  * as long. `FileStatus.getPermission` is never touched and `listFiles(recursive)` never used: on local files both
  * start a process per file.
  */
final class Storage(session: SparkSession) {
  private val conf: Configuration = session.sessionState.newHadoopConf()
  private def fileSystem(path: String): FileSystem = new Path(path).getFileSystem(conf)

  /** All files and folders below each root (one per line of `roots`, escaped); the form is that of
    * `hive_acid.snapshot.listing.parse_listings`.
    */
  def list(roots: String): String = {
    val text = new StringBuilder
    val names = roots.split("\n", -1).filter(_.nonEmpty).map(unescape)
    names.foreach(listRoot(_, Storage.ListAttempts, text))
    text.append("E\t").append(names.length).append('\n').toString
  }

  /** A folder that the Cleaner removes while its root is listed makes the listing begin anew: which folders stand in
    * for the lost one shows only in a listing without it.
    */
  private def listRoot(root: String, attempts: Int, text: StringBuilder): Unit = {
    val path = new Path(root)
    val system = path.getFileSystem(conf)
    val before = text.length
    val status =
      try Some(system.listStatus(path))
      catch { case _: FileNotFoundException => None }
    text.append("R\t").append(if (status.isDefined) 1 else 0).append('\t').append(escape(root)).append('\n')
    try status.foreach(append(text, system, "", _))
    catch {
      case _: FileNotFoundException if attempts > 1 =>
        text.setLength(before)
        listRoot(root, attempts - 1, text)
    }
  }

  private def append(text: StringBuilder, system: FileSystem, prefix: String, children: Array[FileStatus]): Unit = {
    val (folders, files) = children.partition(_.isDirectory)
    files.sortBy(_.getPath.getName).foreach { f =>
      text.append("F\t").append(f.getLen).append('\t').append(f.getModificationTime).append('\t')
      text.append(escape(f.getPath.getName)).append('\n')
    }
    folders.sortBy(_.getPath.getName).filterNot(f => hidden(f.getPath.getName)).foreach { f =>
      val relative = prefix + f.getPath.getName
      text.append("D\t").append(escape(relative)).append('\n')
      append(text, system, relative + "/", system.listStatus(f.getPath))
    }
  }

  /** Paths of the hidden folders directly below each root (one per line of `roots`, escaped), as the root is spelled,
    * one per line, escaped.
    */
  def hiddenFolders(roots: String): String =
    roots
      .split("\n", -1)
      .filter(_.nonEmpty)
      .map(unescape)
      .flatMap { root =>
        val path = new Path(root)
        val children =
          try path.getFileSystem(conf).listStatus(path)
          catch { case _: FileNotFoundException => Array.empty[FileStatus] }
        val names = children.filter(_.isDirectory).map(_.getPath.getName).filter(hidden)
        names.map(name => escape(s"${root.stripSuffix("/")}/$name"))
      }
      .mkString("\n")

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

  /** The number of rows of each ORC file, one per line of `files`: bytes, time in ms, path (escaped), with tabs. */
  def rowCounts(table: String, files: String): String = {
    val versions = files.split("\n", -1).toSeq.map { line =>
      val Array(bytes, modifiedMs, path) = line.split("\t", -1)
      FileRowCounts.Version(unescape(path), bytes.toLong, modifiedMs.toLong)
    }
    FileRowCounts.of(versions, conf, table).mkString("\n")
  }

  /** Storage's own checksums in hexadecimal, one per line of `paths` (escaped); empty where it keeps none. */
  def checksums(paths: String): String =
    paths
      .split("\n", -1)
      .map(unescape)
      .map { path =>
        Option(fileSystem(path).getFileChecksum(new Path(path)))
          .fold("")(sum => StringUtils.byteToHexString(sum.getBytes, 0, sum.getLength))
      }
      .mkString("\n")

  def exists(path: String): Boolean = fileSystem(path).exists(new Path(path))
  def makeFolder(path: String): Unit = require(fileSystem(path).mkdirs(new Path(path)), s"$path was not made")

  def writeText(path: String, text: String): Unit = {
    val out = fileSystem(path).create(new Path(path), true)
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

  private def hidden(name: String) = name.startsWith("_") || name.startsWith(".")
  private def escape(text: String) =
    text.replace("%", "%25").replace("\t", "%09").replace("\n", "%0A").replace("\r", "%0D")
  private def unescape(text: String) =
    text.replace("%0D", "\r").replace("%0A", "\n").replace("%09", "\t").replace("%25", "%")
}

object Storage {
  private val ListAttempts = 10
}
