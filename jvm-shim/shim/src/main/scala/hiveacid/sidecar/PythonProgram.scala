package hiveacid.sidecar

/** The Python that is to run the Python half.
  *
  * @param program
  *   a path, or a name that is looked up in PATH
  * @param origin
  *   what names it, for errors
  */
final case class PythonProgram(program: String, origin: String)

object PythonProgram {

  /** Settings of Spark's that name it, the first one first. */
  val Settings: Seq[String] = Seq("spark.hiveacid.python", "spark.pyspark.driver.python", "spark.pyspark.python")

  /** The variable of the driver's environment that names it if no setting does. PYSPARK_DRIVER_PYTHON is none: it may
    * be a notebook server.
    */
  val Variable = "PYSPARK_PYTHON"
  private val Default = "python3"

  /** @param setting
    *   the value of a setting of Spark's
    * @param variable
    *   the value of a variable of the environment
    */
  def choose(setting: String => Option[String], variable: String => Option[String]): PythonProgram = {
    val named = Settings.flatMap(key => setting(key).map(PythonProgram(_, key))) ++
      variable(Variable).map(PythonProgram(_, Variable))
    named.find(_.program.nonEmpty).getOrElse(PythonProgram(Default, "nothing"))
  }
}
