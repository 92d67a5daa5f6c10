package hiveacid.storage

import java.io.IOException
import java.nio.charset.Charset
import java.nio.file.{
  DirectoryIteratorException,
  Files,
  InvalidPathException,
  NoSuchFileException,
  NotDirectoryException,
  Path => LocalPath
}
import java.nio.file.attribute.BasicFileAttributes

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/** Local files that Hadoop takes for ones that are not there: their rows would be missing without a word.
  *
  * Java spells names in the encoding of the process's locale, and finds no file again whose name that lacks (seen with
  * Java 17 and LC_ALL=POSIX), or whose name is no text in it. Nor does Hadoop ask why a file cannot be looked at.
  */
private[storage] object LocalNames {
  private def encodingOfLocale: String = sys.props.getOrElse("sun.jnu.encoding", "UTF-8")

  /** Raises an IOException if Java cannot name a local path in the encoding. */
  def check(path: Path, encoding: String = encodingOfLocale): Unit =
    if (!Charset.forName(encoding).newEncoder().canEncode(path.toUri.getPath))
      throw new IOException(s"Java cannot name $path: ${tellLocale(encoding)}")

  /** Raises an IOException if there is anything in a local folder that Hadoop has left out of its listing, though it is
    * there or nobody can tell. A name that is no text is not told.
    *
    * @param listed
    *   the names of the listing
    */
  def checkListed(folder: Path, listed: Set[String]): Unit =
    try {
      val files = Files.newDirectoryStream(localOf(folder))
      try files.asScala.foreach(checkListed(folder, _, listed))
      finally files.close()
    } catch {
      case _: NoSuchFileException | _: NotDirectoryException => () // it went meanwhile, or is a file
      case e: DirectoryIteratorException                     => throw e.getCause
    }

  private def checkListed(folder: Path, file: LocalPath, listed: Set[String]): Unit =
    if (!hasName(file)) {
      if (!Files.notExists(file))
        throw new IOException(s"Java cannot name a file in $folder: ${tellLocale(encodingOfLocale)}, or rename it")
    } else if (!listed(file.getFileName.toString) && !file.toFile.exists) look(file)

  /** Raises an IOException for a local path that is not known to be missing. */
  def checkMissing(path: Path): Unit = look(localOf(path))

  private def look(path: LocalPath): Unit =
    try {
      Files.readAttributes(path, classOf[BasicFileAttributes])
      ()
    } catch {
      case _: NoSuchFileException               => ()
      case _: IOException if isBelowAFile(path) => ()
    }

  private def isBelowAFile(path: LocalPath): Boolean =
    Iterator.iterate(path.getParent)(_.getParent).takeWhile(_ != null).exists(Files.isRegularFile(_))

  /** Whether Java finds the file again by the text of its name. */
  private def hasName(file: LocalPath): Boolean =
    try file.getFileSystem.getPath(file.getFileName.toString) == file.getFileName
    catch { case _: InvalidPathException => false }

  private def localOf(path: Path): LocalPath = new java.io.File(path.toUri.getPath).toPath

  private def tellLocale(encoding: String) =
    s"the locale of this process has the encoding $encoding. Start Spark with another locale, such as LC_ALL=C.UTF-8"
}
