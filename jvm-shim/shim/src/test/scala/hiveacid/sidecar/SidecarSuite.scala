package hiveacid.sidecar

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import hiveacid.errors.AcidException

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic

class SidecarSuite extends munit.FunSuite {
  private def shell(script: String) =
    SidecarProcess.start(PythonProgram("/bin/sh", "a test"), Seq("-c", script), Map("SEEN" -> "yes"))

  test("a process that is not there is named, and the setting that names it") {
    val python = PythonProgram("/nowhere/python", "spark.hiveacid.python")
    val e = intercept[AcidException](SidecarProcess.start(python, Nil, Map.empty))
    assertEquals(e.condition, "HIVE_ACID_CONFIGURATION.PYTHON_NOT_FOUND")
    assert(e.getMessage.contains("/nowhere/python, which spark.hiveacid.python names"), e.getMessage)
  }

  test("the last line of an ended process is told, wherever it was written") {
    val process = shell("echo first; echo \"the last: $SEEN\" >&2; echo; exit 3")
    assert(process.endsWithin(10000))
    assertEquals(process.ending, "its exit code was 3, and its last line of output: the last: yes")
  }

  test("a process ends with its standard input, or is killed") {
    val reading = shell("cat >/dev/null")
    assert(!reading.endsWithin(200))
    reading.end()
    assert(reading.endsWithin(10000))
  }

  test("a Python that cannot answer is told with its setting and its last words") {
    val program = Files.createTempFile("python", "", PosixFilePermissions.asFileAttribute(owner))
    Files.writeString(program, "#!/bin/sh\necho \"No module named $2\"\nexit 1\n")
    withSession("spark.hiveacid.python" -> program.toString) { session =>
      val e = intercept[AcidException](Sidecar.start(session, isSuccessor = false))
      assertEquals(e.condition, "HIVE_ACID_CONFIGURATION.PYTHON_NOT_USABLE")
      assert(e.getMessage.contains("No module named hive_acid.session.sidecar"), e.getMessage)
      assert(e.getMessage.contains(s"$program, which spark.hiveacid.python names"), e.getMessage)
    }
  }

  test("a package of another version is not welcome") {
    withSession() { session =>
      val entry =
        new SidecarEntry(session.newSession(), PythonProgram("python3", "PYSPARK_PYTHON"), isSuccessor = false)
      assert(entry.welcome(SidecarEntry.version))
      assert(!entry.answering.isDone)
      assert(!entry.welcome("0.0.1"))
      val e = intercept[java.util.concurrent.ExecutionException](entry.answering.get()).getCause
      assertEquals(e.asInstanceOf[AcidException].condition, "HIVE_ACID_CONFIGURATION.PYTHON_OF_OTHER_VERSION")
      assert(entry.defaultSession ne entry.session)
    }
  }

  private def owner = PosixFilePermissions.fromString("rwx------")

  private def withSession(settings: (String, String)*)(body: classic.SparkSession => Unit): Unit = {
    val builder = SparkSession.builder().master("local[1]").appName("sidecar")
    val session = settings.foldLeft(builder) { case (b, (key, value)) => b.config(key, value) }.getOrCreate()
    try body(session.asInstanceOf[classic.SparkSession])
    finally session.stop()
  }
}
