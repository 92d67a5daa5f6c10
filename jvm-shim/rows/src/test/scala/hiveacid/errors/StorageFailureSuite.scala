package hiveacid.errors

import java.io.{FileNotFoundException, IOException}
import java.nio.file.AccessDeniedException

import org.apache.hadoop.fs.Path
import org.apache.hadoop.hdfs.protocol.{DSQuotaExceededException, NSQuotaExceededException}
import org.apache.hadoop.ipc.RemoteException
import org.apache.hadoop.security.AccessControlException

/** Errors of storage are told apart by what their user can do. */
class StorageFailureSuite extends munit.FunSuite {
  private val path = new Path("/table/delta_0000001_0000001_0000/bucket_00000")

  private def remote(error: Class[_]) = new RemoteException(error.getName, "no")

  for (
    error <- Seq[IOException](
      new NSQuotaExceededException(1, 2),
      new DSQuotaExceededException(1, 2),
      remote(classOf[DSQuotaExceededException])
    )
  )
    test(s"a quota: ${error.getClass.getSimpleName} ${error.getMessage}") {
      assertEquals(
        StorageFailure(path, "writing", new IOException("closing", error)).condition,
        "HIVE_ACID_STORAGE_QUOTA"
      )
    }

  for (
    error <- Seq[IOException](
      new AccessControlException("no"),
      remote(classOf[AccessControlException]),
      new AccessDeniedException("/t"),
      new FileNotFoundException("/t (Permission denied)")
    )
  )
    test(s"what the user may not do: $error")(
      assertEquals(StorageFailure(path, "writing", error).condition, "HIVE_ACID_STORAGE_DENIED")
    )

  test("others") {
    val error =
      StorageFailure(path, "writing", new IOException("broken.\n\tat org.apache.Server\n\tat java.lang.Thread"))
    assertEquals(error.condition, "HIVE_ACID_STORAGE")
    assertEquals(error.getMessageParameters.get("reason"), "broken")
  }
}
