package hiveacid.parser

import scala.collection.mutable

import hiveacid.scan.AcidRelation
import hiveacid.analysis.{CanonicalStatement, ListInsertedColumns}
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.python.PythonSide
import hiveacid.wire.Respelling

import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.hiveacid.{SparkLinePlans, SparkLineStatements}

/** A text in Hive's spelling as Spark's parser takes it, and what it says beyond that.
  *
  * @param creations
  *   where statements begin that create a transactional table by `CREATE TRANSACTIONAL TABLE`, in characters as Spark's
  *   parser counts them
  * @param unlisted
  *   in how many clauses of a MERGE the columns are called `marker`, to be named when it runs
  */
final case class HiveSpelling(text: String, creations: Set[Int], unlisted: Int = 0, marker: String = "") {

  /** The parsed plan, in which those tables are transactional and those columns are named later; None if they are not
    * all to be found in it, as in a script with parameters before them.
    */
  private def complete(plan: LogicalPlan): Option[LogicalPlan] = {
    val found = mutable.Set.empty[Int]
    var later = 0 // Spark may show a node twice
    def isCreation(node: LogicalPlan) = node.origin.startIndex.exists { at =>
      creations(at) && isUntouched(node.origin.sqlText, at) && (found(at) || found.add(at))
    }
    def completed(part: LogicalPlan): LogicalPlan = part.transformDown {
      // whose plans are none of their children
      case e: ExplainCommand                           => e.copy(logicalPlan = completed(e.logicalPlan))
      case SparkLinePlans.Scripted(statement, holding) => holding(completed(statement))
      case c @ CreateTable(name, _, _, spec: UnresolvedTableSpec, _) if isCreation(c) =>
        c.copy(tableSpec = transactional(name, spec))
      case c @ CreateTableAsSelect(name, _, _, spec: UnresolvedTableSpec, _, _, _) if isCreation(c) =>
        c.copy(tableSpec = transactional(name, spec))
      case c @ SparkLineStatements.CreationLike(name, properties, completed) if isCreation(c) =>
        completed(transactional(name, properties))
      case m: MergeIntoTable if ListInsertedColumns.unlisted(m, marker) > 0 =>
        later += ListInsertedColumns.unlisted(m, marker)
        ListInsertedColumns.later(m, marker)
    }
    Some(completed(plan)).filter(_ => found == creations && later >= unlisted)
  }

  /** False if values stand for parameters before that place, which is another one then. */
  private def isUntouched(parsed: Option[String], at: Int) =
    parsed.exists(_.startsWith(text.substring(0, text.offsetByCodePoints(0, at))))

  private def transactional(name: LogicalPlan, s: UnresolvedTableSpec): UnresolvedTableSpec = {
    s.serde.filterNot(isOrc).foreach(serde => refuse(name, notOrc(serde)))
    // named here, for Spark 3.5 gives the tables of IDENTIFIER(…) their format before they have a name
    val serde = if (s.provider.isEmpty && s.serde.isEmpty) Some(SerdeInfo(storedAs = Some("ORC"))) else s.serde
    s.copy(properties = transactional(name, s.properties), serde = serde)
  }

  private def isOrc(serde: SerdeInfo) =
    serde.storedAs.exists(_.equalsIgnoreCase("ORC")) || serde.formatClasses.exists(_.input.endsWith("OrcInputFormat"))

  private def notOrc(serde: SerdeInfo): Refusal = {
    val named = Seq(serde.storedAs, serde.formatClasses.map(_.input), serde.serde).flatten
    Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT", Map("format" -> named.headOption.getOrElse("TEXTFILE")))
  }

  private def transactional(name: LogicalPlan, properties: Map[String, String]): Map[String, String] = {
    val (own, others) = properties.partition { case (key, _) => key.equalsIgnoreCase("transactional") }
    own.values.find(!_.equalsIgnoreCase("true")).foreach { v =>
      refuse(name, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.TRANSACTIONAL_PROPERTY", Map("value" -> v)))
    }
    others + ("transactional" -> "true")
  }

  private def refuse(name: LogicalPlan, refusal: Refusal): Unit = {
    val table = name match {
      case UnresolvedIdentifier(parts, _) => parts.mkString(".")
      case other                          => other.simpleStringWithNodeId()
    }
    throw AcidException.unsupported("CREATE TRANSACTIONAL TABLE", table, refusal)
  }
}

object HiveSpelling {

  /** The plan of a text in Hive's spelling; None if there is nothing of that in it, or it names tables that are not
    * there.
    */
  def parsed(session: SparkSession, text: String, parse: String => LogicalPlan): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    answer <- PythonSide.message[Option[Respelling]](api.respelling(text))
    columns = answer.gaps.flatMap(gap => AcidRelation.read(session, gap.table).map(_.schema.fieldNames.toSeq))
    if columns.length == answer.gaps.length
    plan <- parsed(text, answer, columns, parse)
  } yield plan

  /** In a script the tables of these columns may be others by the time that its statements run. */
  private def parsed(
      text: String,
      answer: Respelling,
      columns: Seq[Seq[String]],
      parse: String => LogicalPlan
  ): Option[LogicalPlan] = {
    val spelling = filled(answer, columns)
    val plan = parse(spelling.text)
    if (columns.isEmpty || !SparkLinePlans.isScript(plan)) spelling.complete(plan)
    else {
      val marker = Iterator.from(0).map(i => s"__unlisted_$i").find(!text.contains(_)).get
      val marked = filled(answer, columns.map(_.map(_ => marker))).copy(unlisted = columns.length, marker = marker)
      marked.complete(parse(marked.text))
    }
  }

  private def filled(answer: Respelling, columns: Seq[Seq[String]]): HiveSpelling = {
    val lists = columns.map(_.map(CanonicalStatement.quoted).mkString("(", ", ", ")"))
    val pieces = answer.gaps.map(_.text).zip(lists)
    val filled = pieces.map { case (before, list) => s"$before $list" }
    val ends = pieces.map(p => length(p._1)).scanLeft(0)(_ + _).tail
    val growths = pieces.zip(filled).map { case ((before, _), all) => length(all) - length(before) }
    val moved = answer.creations.toSet.map((at: Int) =>
      at + ends.zip(growths).collect { case (end, growth) if end <= at => growth }.sum
    )
    HiveSpelling(filled.mkString + answer.rest, moved)
  }

  private def length(text: String) = text.codePointCount(0, text.length)
}
