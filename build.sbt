// One source tree, one jar per Spark minor line: the folders of jvm-shim but lines are shared. Code for which Spark has
// changed in a release X.Y stands twice, in jvm-shim/lines/since-X.Y and before-X.Y, and each line takes its own of the
// two. jvm-shim/lines/spark-X.Y holds the verdicts on that line's plan nodes.
// A line has four projects, and is called by the one that makes its jar: spark43/test runs the tests of all four,
// spark43-rows/test those of one.
// Spark itself comes from pip: .build/spark-X.Y is the jars folder of a pyspark of that line (./dev makes it).
// The package's: the jar tells it and the package compares
ThisBuild / version := {
  val declared = """(?m)^version = "([^"]+)"$""".r
  declared
    .findFirstMatchIn(IO.read(file("pyproject.toml")))
    .getOrElse(sys.error("pyproject.toml has no version"))
    .group(1)
}
ThisBuild / scalaVersion := "2.13.18"

// Spark line -> Scala version that this Spark was built with
val lines =
  Map("3.5" -> "2.12.18", "4.0" -> "2.13.16", "4.1" -> "2.13.17", "4.2" -> "2.13.18", "4.3" -> "2.13.18")

// What Spark's own launcher passes on Java 17 and later (JavaModuleOptions)
val addOpens = Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "jdk.internal.ref",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") :+ "-Djdk.reflect.useDirectMethodHandle=false"

def sparkJars(line: String): File = file(".build") / s"spark-$line"
// Releases with differences; numbers compare as texts while they have two digits
val changes = Seq("4.0", "4.1", "4.2", "4.3")
def ownSources(line: String): Seq[String] =
  changes.map(release => (if (line < release) "before-" else "since-") + release)

// Spark 3.5 runs on Java 8, of which the shim needs what came until 11
def javaRelease(line: String): String = if (line == "3.5") "11" else "17"
// Options and libraries of Scala 2.12 are fewer
def isScala212(line: String): Boolean = lines(line).startsWith("2.12.")

def id(line: String): String = "spark" + line.replace(".", "")

// The jar under its Maven coordinates, in .build/maven. Spark brings all that it needs, Scala's library too
val published = Seq(
  organization := "io.github.spark-hive-acid",
  description := "The half of spark-hive-acid that runs in Spark's JVM",
  homepage := Some(url("https://github.com/spark-hive-acid/spark-hive-acid")),
  licenses := Seq(License.Apache2),
  publishTo := Some(MavenCache("maven", (ThisBuild / baseDirectory).value / ".build" / "maven")),
  publishConfiguration := publishConfiguration.value.withOverwrite(true),
  Compile / packageDoc / publishArtifact := false,
  Compile / packageSrc / publishArtifact := false,
  pomPostProcess := {
    case pom: scala.xml.Elem => pom.copy(child = pom.child.filterNot(_.label == "dependencies"))
    case other               => other
  }
)

// The jars of this Spark, for those parts that know it
def sparkOf(line: String): Def.Initialize[Task[Classpath]] =
  Def.task((sparkJars(line).getCanonicalFile * "*.jar").classpath)
def inPython(files: String*): Def.Initialize[Task[Seq[File]]] =
  Def.task(files.map((ThisBuild / baseDirectory).value / "python/hive_acid" / _))

/** A part of the jar: the sources of `jvm-shim/NAME`, and what differs between lines of Spark. */
def part(line: String, name: String): Project =
  Project(s"${id(line)}-$name", file(s".build/sbt/$line/$name")).settings(
    moduleName := s"hive-acid-$name-spark-$line",
    scalaVersion := lines(line),
    crossPaths := false,
    target := baseDirectory.value / "target",
    scalacOptions ++= Seq("-release", javaRelease(line), "-deprecation", "-feature", "-unchecked") ++
      (if (isScala212(line)) Seq("-Xsource:2.13") else Seq("-Wunused")),
    Compile / unmanagedSourceDirectories := {
      val own = ownSources(line).map(release => s"lines/$release/$name")
      (Seq(s"$name/src/main/scala", s"$name/src/main/java") ++ own)
        .map((ThisBuild / baseDirectory).value / "jvm-shim" / _)
    },
    Test / unmanagedSourceDirectories := Seq((ThisBuild / baseDirectory).value / "jvm-shim" / name / "src/test/scala"),
    Test / unmanagedResourceDirectories :=
      Seq((ThisBuild / baseDirectory).value / "jvm-shim" / name / "src/test/resources"),
    libraryDependencies += "org.scalameta" %% "munit" % (if (isScala212(line)) "1.1.0" else "1.2.4") % Test,
    Test / fork := true,
    Test / baseDirectory := target.value,
    Test / javaOptions += s"-Dhiveacid.wire=${(ThisBuild / baseDirectory).value}/python/tests/wire", // example messages
    Test / javaOptions ++= addOpens ++ Seq("-Xmx2g", "-Dspark.ui.enabled=false", "-Dspark.driver.host=127.0.0.1"),
    // no suite runs for long enough to pay for the second compiler
    Test / javaOptions ++= Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC")
  )

/** The parts of a line's jar, each with those alone that it may know: the compiler holds these walls. */
def sparkLine(line: String): CompositeProject = {
  val door = part(line, "door").settings(
    // the same classes of every line, for the class archive of the metastore's process knows them
    Compile / javacOptions ++= Seq("--release", "11", "-Xlint:all"),
    autoScalaLibrary := false,
    Test / unmanagedJars ++= sparkOf(line).value
  )
  val rows = part(line, "rows").settings(
    // one file each for Python and the JVM
    Compile / unmanagedResources ++= inPython("errors/conditions.json", "errors/outcomes.json").value,
    // of Spark, for those above too; those among the dependencies below are of clients
    Compile / unmanagedJars ++= sparkOf(line).value
  )
  val search = part(line, "search").dependsOn(rows % "compile->compile;test->test")
  val below = Seq(door, rows, search)
  // knows Spark's statements and Python, and has the jar of all
  val shim = part(line, "shim")
    .withId(id(line))
    .dependsOn(rows % "compile->compile;test->test", search)
    .aggregate(below.map(p => LocalProject(p.id)): _*)
    .settings(
      published,
      publish / aggregate := false,
      Compile / unmanagedResources ++=
        inPython("wire/statement_kinds.json", "wire/ddl_kinds.json", "wire/table_options.json").value,
      Compile / resourceGenerators += Def.task {
        val described = (Compile / resourceManaged).value / "hiveacid" / "shim.properties"
        IO.write(described, s"version=${version.value}\nspark=$line\n")
        Seq(described)
      },
      Test / unmanagedResourceDirectories += (ThisBuild / baseDirectory).value / "jvm-shim/lines" / s"spark-$line",
      Compile / packageBin / mappings ++= below.map(_ / Compile / packageBin / mappings).join.value.flatten,
      Compile / Keys.`package` / aggregate := false,
      Compile / packageBin / artifactPath :=
        (ThisBuild / baseDirectory).value / "python/hive_acid/jars" / s"spark-$line" / "hive-acid-shim.jar"
    )
  new CompositeProject { override def componentProjects: Seq[Project] = shim +: below }
}

lazy val spark35 = sparkLine("3.5")
lazy val spark40 = sparkLine("4.0")
lazy val spark41 = sparkLine("4.1")
lazy val spark42 = sparkLine("4.2")
lazy val spark43 = sparkLine("4.3")

// The root aggregates the lines that are installed.
lazy val root = (project in file("."))
  .aggregate(lines.keys.toSeq.sorted.filter(sparkJars(_).exists).map(l => LocalProject(id(l))): _*)
  .settings(
    Compile / unmanagedSourceDirectories := Nil,
    Test / unmanagedSourceDirectories := Nil,
    target := baseDirectory.value / ".build" / "sbt" / "root"
  )
