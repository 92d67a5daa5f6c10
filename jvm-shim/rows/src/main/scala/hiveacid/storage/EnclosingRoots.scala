package hiveacid.storage

import java.lang.reflect.InvocationTargetException
import java.net.URI
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.ipc.{RemoteException, RpcNoSuchMethodException}

/** The folder that no rename leaves, a router's mount for one; empty where client or server are too old to tell.
  *
  * @param question
  *   FileSystem.getEnclosingRoot, if the client has it
  */
final private[storage] class EnclosingRoots(question: Option[(FileSystem, Path) => Path]) {

  /** Servers that do not know the question. */
  private val older = ConcurrentHashMap.newKeySet[URI]()

  def find(system: FileSystem, path: Path): String = question match {
    case Some(ask) if !older.contains(system.getUri) =>
      try ask(system, path).toUri.getPath
      catch {
        case e: RemoteException if e.getClassName == classOf[RpcNoSuchMethodException].getName =>
          older.add(system.getUri)
          ""
      }
    case _ => ""
  }
}

private[storage] object EnclosingRoots {

  /** Hadoop has it since 3.4. Spark 3.5 brings an older one; a site may have a newer. */
  def ofHadoop: Option[(FileSystem, Path) => Path] =
    Try(classOf[FileSystem].getMethod("getEnclosingRoot", classOf[Path])).toOption.map { method => (system, path) =>
      try method.invoke(system, path).asInstanceOf[Path]
      catch { case e: InvocationTargetException => throw e.getCause }
    }
}
