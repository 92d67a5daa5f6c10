package hiveacid.storage

import java.io.IOException
import java.nio.file.{Files, Path => LocalPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

class LocalNamesSuite extends FunSuite {
  private val partition = new Path("file:/warehouse/t/k=\u00fc")

  test("a local path that the locale cannot spell is an error and not a folder that is missing") {
    val error = intercept[IOException](LocalNames.check(partition, "US-ASCII"))
    assert(error.getMessage.contains("LC_ALL"), error.getMessage)
  }

  test("all other paths pass") {
    LocalNames.check(partition, "UTF-8")
    LocalNames.check(new Path("file:/warehouse/t/k=a"), "US-ASCII")
  }

  private def list(folder: LocalPath) =
    Trees.list(Seq(s"file:$folder"), withHidden = true, new Configuration).head.folders.flatMap(_.names)

  private def folder(): LocalPath = {
    val made = Files.createTempDirectory("names")
    Files.writeString(made.resolve("bucket_00000"), "")
    made
  }

  test("a file whose name is no text is an error and not missing, and its name is not told") {
    val made = folder()
    assertEquals(list(made).toSeq, Seq("bucket_00000"))
    val latin1 = "touch \"$0/$(printf 'M\\374ller')\""
    assertEquals(new ProcessBuilder("sh", "-c", latin1, made.toString).start().waitFor(), 0)
    val error = intercept[IOException](list(made))
    assert(error.getMessage.contains("rename it") && !error.getMessage.contains("ller"), error.getMessage)
  }

  test("a file or folder that cannot be looked at is an error; one that is gone is missing") {
    val made = folder()
    Files.createSymbolicLink(made.resolve("gone"), made.resolve("nowhere"))
    assertEquals(list(made).toSeq, Seq("bucket_00000"))
    assertEquals(list(made.resolve("nowhere")).toSeq, Nil)
    assertEquals(list(made.resolve("bucket_00000/below/a/file")).toSeq, Nil)
    val circle = Files.createSymbolicLink(made.resolve("circle"), made.resolve("circle"))
    intercept[IOException](list(made))
    intercept[IOException](list(circle))
  }
}
