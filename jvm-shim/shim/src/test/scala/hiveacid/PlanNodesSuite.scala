package hiveacid

import java.io.File
import java.lang.reflect.Modifier
import java.util.jar.JarFile

import scala.collection.immutable.SortedSet
import scala.concurrent.duration.{Duration, DurationInt}
import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** One line of `commands.tsv`. A class that is treated in more than one way has a line for each.
  *
  * @param why
  *   of `never`, the class that comes in its place or the condition that Spark raises first; of the others, in a few
  *   words, what happens and when
  * @param example
  *   a SQL statement that python/tests/integration/test_guard_audit.py runs, or nothing
  */
final case class Judged(name: String, verdict: String, why: String, example: String)

/** Every node that a plan of the running Spark can have is judged in `commands.tsv`, so that a new one, which the guard
  * does not know, is noticed. Not only commands: what is no command may write too, and what only reads may misread.
  */
class PlanNodesSuite extends munit.FunSuite {

  /** Thousands of classes are loaded, which takes a minute on a machine that does much else. */
  override val munitTimeout: Duration = 10.minutes

  private val judged: Seq[Judged] =
    Using.resource(Source.fromResource("commands.tsv", getClass.getClassLoader)) {
      _.getLines().drop(1).map(_.split("\t", -1)).collect { case Array(a, b, c, d) => Judged(a, b, c, d) }.toList
    }

  /** Concrete classes of plan nodes in Spark's jars; one that cannot be linked cannot run either. */
  private lazy val ofSpark: SortedSet[String] = {
    val catalyst = new File(classOf[LogicalPlan].getProtectionDomain.getCodeSource.getLocation.toURI)
    val jars =
      catalyst.getParentFile.listFiles.filter(f => f.getName.startsWith("spark-") && f.getName.endsWith(".jar"))
    SortedSet(jars.flatMap(classNames(_)).filter(isConcreteNode).toSeq: _*)
  }

  private def classNames(jar: File): Seq[String] = Using.resource(new JarFile(jar)) { file =>
    val names =
      file.entries.asScala.map(_.getName).filter(n => n.startsWith("org/apache/spark/") && n.endsWith(".class"))
    names.map(_.stripSuffix(".class").replace('/', '.')).toList
  }

  private def isConcreteNode(name: String): Boolean =
    try {
      val found = Class.forName(name, false, getClass.getClassLoader)
      classOf[LogicalPlan].isAssignableFrom(found) && !Modifier.isAbstract(found.getModifiers)
    } catch { case _: LinkageError | _: ClassNotFoundException => false }

  test("every plan node of the running Spark is judged") {
    assert(ofSpark.size > 250, "the scan found too few")
    assertEquals(ofSpark.toSeq.diff(judged.map(_.name)), Nil, "not in commands.tsv")
  }

  test("what is judged is a plan node of the running Spark") {
    assertEquals(judged.map(_.name).distinct.filterNot(ofSpark), Nil, "in commands.tsv only")
  }

  test("a judgement is one of five verdicts, with a reason, on sorted lines") {
    val verdicts = Set("ours", "refused", "harmless", "locked", "never")
    assertEquals(judged.filterNot(j => verdicts(j.verdict) && j.why.nonEmpty), Nil)
    assertEquals(judged.map(_.name), judged.map(_.name).sorted)
  }
}
