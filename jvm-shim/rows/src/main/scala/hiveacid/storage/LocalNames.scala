package hiveacid.storage

import java.io.IOException
import java.nio.charset.Charset

import org.apache.hadoop.fs.Path

/** Names of local files. Java spells them in the encoding of the process's locale, and takes a file whose name that
  * lacks for one that is not there: its rows would be missing without a word (seen with Java 17 and LC_ALL=POSIX).
  */
private[storage] object LocalNames {

  /** Raises an IOException if Java cannot name a local path in the encoding. */
  def check(path: Path, encoding: String = sys.props.getOrElse("sun.jnu.encoding", "UTF-8")): Unit =
    if (!Charset.forName(encoding).newEncoder().canEncode(path.toUri.getPath))
      throw new IOException(
        s"Java cannot name $path: the locale of this process has the encoding $encoding. " +
          "Start Spark with another locale, such as LC_ALL=C.UTF-8"
      )
}
