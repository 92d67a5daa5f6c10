package hiveacid.sidecar

class PythonProgramSuite extends munit.FunSuite {
  private val all = PythonProgram.Settings.map(key => key -> s"/by/$key").toMap
  private val environment = Map(PythonProgram.Variable -> "/by/variable")

  private def chosen(settings: Map[String, String], variables: Map[String, String] = environment) =
    PythonProgram.choose(settings.get, variables.get)

  test("the setting of ours counts first, then Spark's, then the variable") {
    val order = PythonProgram.Settings.indices.map(index => chosen(all -- PythonProgram.Settings.take(index)))
    assertEquals(order.map(_.origin), PythonProgram.Settings)
    assertEquals(order.map(_.program), PythonProgram.Settings.map(key => s"/by/$key"))
    assertEquals(chosen(Map.empty), PythonProgram("/by/variable", "PYSPARK_PYTHON"))
  }

  test("without any it is looked up by its usual name, and an empty value is none") {
    assertEquals(chosen(Map.empty, Map.empty).program, "python3")
    assertEquals(chosen(Map("spark.hiveacid.python" -> "")), PythonProgram("/by/variable", "PYSPARK_PYTHON"))
  }
}
