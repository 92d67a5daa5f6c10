package hiveacid.errors

import java.io.FileNotFoundException
import java.nio.file.AccessDeniedException

import org.apache.hadoop.fs.{ClusterStorageCapacityExceededException, Path}
import org.apache.hadoop.ipc.RemoteException
import org.apache.hadoop.security.AccessControlException

/** Errors of storage under the condition that tells their user what to do. */
object StorageFailure {
  private val Depth = 20
  private val NotPermitted = "(Permission denied)"

  /** HIVE_ACID_STORAGE, or a condition of its own for a quota and for what the user may not do. */
  def condition(error: Throwable): String =
    Iterator
      .iterate(error)(_.getCause)
      .takeWhile(_ != null)
      .take(Depth)
      .collectFirst {
        case e if isQuota(e)   => "HIVE_ACID_STORAGE_QUOTA"
        case e if isRefusal(e) => "HIVE_ACID_STORAGE_DENIED"
      }
      .getOrElse("HIVE_ACID_STORAGE")

  /** True if storage does not let this user do it; Java says so of local files as if they were missing. */
  def isRefusal(error: Throwable): Boolean = error match {
    case _: AccessControlException | _: AccessDeniedException => true
    case e: FileNotFoundException                             => reasonOf(e).endsWith(NotPermitted)
    case e: RemoteException => e.getClassName == classOf[AccessControlException].getName
    case _                  => false
  }

  def apply(path: Path, action: String, cause: Throwable): AcidException =
    AcidException(
      condition(cause),
      Map("path" -> QuietPaths.show(path), "action" -> action, "reason" -> QuietPaths.reason(cause, reasonOf)),
      QuietPaths.cause(cause)
    )

  private def isQuota(error: Throwable): Boolean = error match {
    case _: ClusterStorageCapacityExceededException => true // quotas of HDFS and Ozone are such
    case e: RemoteException                         => e.getClassName.endsWith("QuotaExceededException")
    case _                                          => false
  }

  /** Without the calls of the server, which Hadoop puts into messages. */
  private def reasonOf(e: Throwable): String =
    Option(e.getMessage).fold(e.getClass.getSimpleName)(_.split("\n\\s*at ", 2).head.stripSuffix("."))
}
