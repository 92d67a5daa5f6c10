package hiveacid.storage

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.ipc.{RemoteException, RpcNoSuchMethodException}

final class EnclosingRootsSuite extends munit.FunSuite {
  private val local = FileSystem.getLocal(new Configuration)
  private val path = new Path("/warehouse/t")

  private def failing(error: IOException): (FileSystem, Path) => Path = (_, _) => throw error

  test("a client without the question tells nothing") {
    assertEquals(new EnclosingRoots(None).find(local, path), "")
  }

  test("a server that does not know the question is asked once") {
    var asked = 0
    val roots = new EnclosingRoots(Some { (_, _) =>
      asked += 1
      throw new RemoteException(classOf[RpcNoSuchMethodException].getName, "Unknown method getEnclosingRoot")
    })
    assertEquals(Seq(roots.find(local, path), roots.find(local, path)), Seq("", ""))
    assertEquals(asked, 1)
  }

  test("another error reaches the user") {
    val roots = new EnclosingRoots(Some(failing(new RemoteException(classOf[IOException].getName, "broken"))))
    intercept[RemoteException](roots.find(local, path))
  }

  test("this Hadoop is asked if it can tell") {
    val expected = if (EnclosingRoots.ofHadoop.isDefined) "/" else ""
    assertEquals(new EnclosingRoots(EnclosingRoots.ofHadoop).find(local, new Path("/tmp")), expected)
  }
}
