package hiveacid.search

import hiveacid.wire.{KeyColumn, KeyDescription}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, DateTimeUtils}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types._

/** The types of a key's parts, and those of the columns that it is computed of, CHAR and VARCHAR as they were declared.
  *
  * @param parts
  *   SQL expressions over the table's columns
  */
final case class KeyTypes(stored: StoredRows, table: CatalogTable, parts: Seq[String]) {
  import KeyTypes._

  private val declared = CharVarcharUtils.getRawSchema(table.schema)
  private val values: Seq[Expression] = {
    val name = table.identifier.nameParts.map(part => s"`${part.replace("`", "``")}`").mkString(".")
    stored.select(name, parts.map(expr)).analyzed match {
      case Project(list, _) if list.length == parts.length => list
      case other => throw new IllegalStateException(s"a key of a table became ${other.nodeName}")
    }
  }

  /** The types of the parts; an array, whose elements are keys, counts as an element. */
  val types: Seq[DataType] = values.map(value => declaredType(value).getOrElse(value.dataType)).map {
    case ArrayType(element, _) if parts.length == 1 => element
    case other                                      => other
  }

  def describe: KeyDescription = {
    val zoned = values.filter(asksForZone).flatMap(paths).toSet
    val spelled = values.filter(spellsFloats).flatMap(paths).toSet
    val columns = values.flatMap(paths).distinct.map { p =>
      val shown = if (zoned(p)) inZone(p.dataType) else show(p.dataType)
      KeyColumn(p.name, positionOf(p.column), if (spelled(p)) byJava(shown) else shown)
    }
    KeyDescription(types.map(show), columns, values.flatMap(padded).distinct, values.flatMap(foreign).distinct)
  }

  /** The things besides columns of the table that decide on a value. The search, which reads a file's columns, has no
    * query's answers, Python or row IDs; of other values nobody could tell later what they were.
    */
  private def foreign(value: Expression): Seq[String] = {
    val found = value.collect {
      case _: SubqueryExpression                     => Seq("a subquery")
      case a: AttributeReference                     => if (pathOf(a).isEmpty) Seq(a.name) else Nil
      case e: UserDefinedExpression with Unevaluable => Seq(e.name)
      case e if isUnsteady(e) || isOfQuery(e)        => Seq(e.prettyName)
    }.flatten
    if (found.isEmpty && paths(value).isEmpty) Seq("constants") else found
  }

  /** Whether it is the time, the user, or the like, which all rows of one query have in common. */
  private def isOfQuery(e: Expression): Boolean =
    e.containsPattern(CURRENT_LIKE) && !e.children.exists(_.containsPattern(CURRENT_LIKE))

  private def isUnsteady(e: Expression): Boolean = !e.deterministic && e.children.forall(_.deterministic)

  /** The columns and fields that an expression is computed of. */
  private def paths(e: Expression): Seq[Path] = pathOf(e).fold(e.children.flatMap(paths))(Seq(_))

  /** The CHAR columns and fields whose blanks become a part of the value's text. One that is the value itself is none:
    * its subjects are padded likewise.
    */
  private def padded(value: Expression): Seq[String] =
    if (declaredType(value).isDefined) Nil else paddedWithin(value)

  private def paddedWithin(e: Expression): Seq[String] = e match {
    case StringTrimRight(text, None) if declaredType(text).isDefined => Nil
    case StringTrim(text, None) if declaredType(text).isDefined      => Nil
    case truth if truth.dataType == BooleanType                      => Nil // comparisons take no account of them
    case other                                                       =>
      pathOf(other).fold(other.children.flatMap(paddedWithin))(p => Seq(p).filter(isPadded).map(_.name))
  }

  private def declaredType(e: Expression): Option[DataType] = e match {
    case Alias(value, _) => declaredType(value)
    case m: MapKeys      => declaredType(m.child).collect { case MapType(key, _, _) => ArrayType(key) }
    case m: MapValues    => declaredType(m.child).collect { case MapType(_, value, _) => ArrayType(value) }
    case i: GetArrayItem => declaredType(i.child).collect { case ArrayType(element, _) => element }
    case v: GetMapValue  => declaredType(v.child).collect { case MapType(_, value, _) => value }
    case other           => pathOf(other).map(_.dataType)
  }

  private def pathOf(e: Expression): Option[Path] = e match {
    case a: AttributeReference =>
      Some(declared.indexWhere(_.name.equalsIgnoreCase(a.name))).filter(_ >= 0).map { i =>
        Path(declared(i).name.toLowerCase, i, declared(i).dataType)
      }
    case f: GetStructField =>
      pathOf(f.child).collect { case p @ Path(_, _, s: StructType) => p.below(s(f.ordinal), s(f.ordinal).dataType) }
    case f: GetArrayStructFields =>
      pathOf(f.child).collect { case p @ Path(_, _, ArrayType(s: StructType, _)) =>
        p.below(s(f.ordinal), ArrayType(s(f.ordinal).dataType))
      }
    case _ => None
  }

  /** From one, among the columns of files or among those of partitions. */
  private def positionOf(column: Int): Int = {
    val ofFiles = table.schema.length - table.partitionColumnNames.length
    if (column < ofFiles) column + 1 else column - ofFiles + 1
  }

  /** Moments have the texts of the session's time zone, and so have other values if an expression asks for it. */
  private def show(t: DataType): String = {
    val shown = if (Moment.findFirstIn(t.catalogString).isEmpty) t.catalogString else inZone(t)
    if (Floats.findFirstIn(shown).isEmpty) shown else byJava(shown)
  }

  /** Whether a text is made of a number of that kind. */
  private def spellsFloats(e: Expression): Boolean = e.exists {
    case c: Cast => c.dataType.isInstanceOf[StringType] && Floats.findFirstIn(c.child.dataType.catalogString).isDefined
    case _       => false
  }

  private def inZone(t: DataType): String =
    s"${t.catalogString} in ${DateTimeUtils.getZoneId(stored.session.sessionState.conf.sessionLocalTimeZone).normalized}"

  /** Whether an expression has other values in another time zone, as `from_unixtime(seconds)` has. */
  private def asksForZone(e: Expression): Boolean = e.exists {
    case c: Cast                    => Cast.needsTimeZone(c.child.dataType, c.dataType)
    case _: TimeZoneAwareExpression => true
    case _                          => false
  }
}

object KeyTypes {
  private val Moment = """\btimestamp\b""".r
  private val Floats = """\b(?:float|double)\b""".r
  private val Padded = """\bchar\(""".r

  /** A type of which Java makes texts. Since 19 these have no more digits than they need (JDK-4511638), so that most of
    * those of before are others.
    */
  private[search] def byJava(shown: String, release: Int = Runtime.version.feature): String =
    if (release < 19 || shown.endsWith(ByJava)) shown else shown + ByJava
  private val ByJava = " by Java 19"

  /** A column, or a field within one. */
  private case class Path(name: String, column: Int, dataType: DataType) {
    def below(field: StructField, t: DataType): Path = copy(s"$name.${field.name.toLowerCase}", dataType = t)
  }

  private def isPadded(path: Path): Boolean = Padded.findFirstIn(path.dataType.catalogString).isDefined
}
