package hiveacid.storage

import java.io.IOException

import munit.FunSuite
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
}
