package hiveacid.analysis

import scala.jdk.CollectionConverters._

import hiveacid.values.AcidTable
import hiveacid.errors.Refusal

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{SparkLineJobs, SparkLineNodes}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.StoreAssignmentPolicy

/** New values of columns, cast by Spark's store assignment. Spark does this itself only for its own kind of table; for
  * ours it has merely put a cast around each value, which would let a text into a number.
  */
object Assignments {

  /** One value for each data column, those that are not assigned being themselves, and then for each partition column
    * if one of them is assigned.
    */
  def ofUpdate(
      target: LogicalRelation,
      assignments: Seq[Assignment],
      fromStar: Boolean = false
  ): Seq[(String, Expression)] = {
    val table = target.catalogTable.get
    refuseLegacy("UPDATE", table)
    refuseHidden("UPDATE", target, assignments)
    val aligned = naming(target) {
      SparkLineNodes.alignedUpdate(declared(target), assignments.map(asDeclared(target, _)), fromStar)
    }
    val (data, partition) = named(target, aligned).splitAt(table.dataSchema.length)
    val keys = AttributeSet(target.output.drop(table.dataSchema.length))
    if (assignments.exists(_.key.references.subsetOf(keys))) data ++ partition else data
  }

  /** One value for each column; those without an assignment get their default, NULL if they have none. */
  def ofInsert(target: LogicalRelation, assignments: Seq[Assignment]): Seq[(String, Expression)] = {
    refuseLegacy("MERGE", target.catalogTable.get)
    refuseHidden("INSERT", target, assignments)
    named(
      target,
      naming(target) {
        AssignmentUtils.alignInsertAssignments(declared(target), assignments.map(asDeclared(target, _)))
      }
    )
  }

  /** Spark's error of a value that does not fit, which leaves the table's name empty here (AssignmentUtils). */
  private def naming[T](target: LogicalRelation)(align: => T): T =
    try align
    catch {
      case e: AnalysisException if e.getMessageParameters.get("tableName") == "``" =>
        val name = target.catalogTable.get.identifier.nameParts.map(CanonicalStatement.quoted).mkString(".")
        val parameters = e.getMessageParameters.asScala.toMap + ("tableName" -> name)
        throw new AnalysisException(SparkLineJobs.condition(e), parameters)
    }

  /** ROW__ID is no column of the table. */
  private def refuseHidden(operation: String, target: LogicalRelation, assignments: Seq[Assignment]): Unit =
    assignments.find(a => !a.key.references.subsetOf(AttributeSet(target.output))).foreach { a =>
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.ASSIGNED_COLUMN", Map("column" -> a.key.sql))
      AcidTable.refuse(operation, target.catalogTable.get, refusal)
    }

  /** Under the policy LEGACY Spark checks neither whether a value fits nor NOT NULL (TableOutputResolver). It refuses
    * that for its own kind of table.
    */
  def refuseLegacy(operation: String, table: CatalogTable): Unit =
    if (SQLConf.get.storeAssignmentPolicy == StoreAssignmentPolicy.LEGACY) {
      AcidTable.refuse(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.LEGACY_ASSIGNMENT"))
    }

  /** The target's columns with the NOT NULL that Spark keeps of the table. */
  private def declared(target: LogicalRelation): Seq[AttributeReference] = {
    val schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(target.catalogTable.get.schema)
    target.output.zip(schema).map { case (column, field) =>
      column.withDataType(field.dataType).withNullability(field.nullable)
    }
  }

  /** The assignment to a declared column, by the name that the user has given it: Spark finds it by the column, with
    * its type.
    */
  private def asDeclared(target: LogicalRelation, a: Assignment): Assignment = {
    val columns = AttributeMap(target.output.zip(declared(target)))
    val plain = prepared(a)
    plain.copy(key = plain.key.transform { case c: AttributeReference =>
      columns.get(c).fold(c)(_.withName(c.name).asInstanceOf[AttributeReference])
    })
  }

  private def named(target: LogicalRelation, aligned: Seq[Assignment]) =
    target.output.zip(aligned.map(_.value)).map { case (column, value) =>
      (column.name, checked(column.name, asRead(target, value)))
    }

  /** With the target's columns as they are read: any of them may be NULL. */
  private def asRead(target: LogicalRelation, value: Expression): Expression = {
    val columns = AttributeMap(target.output.map(a => a -> a))
    value.transform { case a: AttributeReference => columns.getOrElse(a, a) }
  }

  /** Spark does not always say which column must not be NULL. */
  private def checked(column: String, value: Expression): Expression = value.transform {
    case check @ AssertNotNull(_, Nil) => check.copy(walkedTypePath = Seq(column))
  }

  private def prepared(a: Assignment): Assignment = {
    val plain = uncast(a)
    plain.copy(value = EvaluatedOnce.of(plain.value, s"__once_${NamedExpression.newExprId.id}"))
  }

  /** Without the cast that Spark has put there (ResolveRowLevelCommandAssignments); one in the statement stays, also if
    * it is spelled as a function.
    */
  private def uncast(a: Assignment): Assignment = a.value match {
    case c: Cast if c.getTagValue(Cast.BY_TABLE_INSERTION).isDefined => a.copy(value = c.child)
    case _                                                           => a
  }
}
