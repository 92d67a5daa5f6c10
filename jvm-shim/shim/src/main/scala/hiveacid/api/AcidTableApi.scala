package hiveacid.api

import scala.jdk.CollectionConverters._

import hiveacid.wire.{OperatorStatement, Wire}

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.hiveacid.{SparkLineSessions, RowAccess}

/** The methods that `hive_acid.AcidTable` calls by py4j. A statement runs before they return. */
final class AcidTableApi private (session: SparkSession, plans: AcidTablePlans) {

  /** The table's rows; each call makes a query of its own, with a snapshot of its own. */
  def frame: DataFrame = RowAccess.frame(session, plans.relation)

  def aliased(other: String): AcidTableApi = new AcidTableApi(session, plans.aliased(other))

  /** @param condition
    *   null: all rows
    */
  def delete(condition: Column): DataFrame = RowAccess.frame(session, plans.delete(optional(condition)))

  /** @param partition
    *   texts by partition column, null for NULL; null: the whole table
    */
  def truncate(partition: java.util.Map[String, String]): Unit =
    RowAccess.frame(session, plans.truncate(Option(partition).map(_.asScala.toMap)))

  /** @param statement
    *   an OperatorStatement, but for the table
    */
  def operate(statement: String): DataFrame =
    RowAccess.frame(session, plans.operate(Wire.read[OperatorStatement](statement)))

  /** The catalog's knowledge of the table: a TableDetail. */
  def description: String = Wire.write(plans.detail)

  /** @param condition
    *   null: all rows
    * @param keys
    *   columns or nested fields, named as in SQL
    * @param values
    *   what is assigned, one for each of `keys`
    */
  def update(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): DataFrame =
    RowAccess.frame(session, plans.update(optional(condition), keys.asScala.toSeq, expressions(values)))

  /** @param matched
    *   clauses, in the order in which their conditions are tried; so are the other two
    */
  def merge(
      source: DataFrame,
      condition: Column,
      matched: java.util.List[MergeAction],
      notMatched: java.util.List[MergeAction],
      notMatchedBySource: java.util.List[MergeAction]
  ): DataFrame = {
    val statement = plans.merge(
      source.queryExecution.logical,
      SparkLineSessions.expression(session, condition),
      matched.asScala.toSeq,
      notMatched.asScala.toSeq,
      notMatchedBySource.asScala.toSeq
    )
    RowAccess.frame(session, statement)
  }

  // the clauses of a MERGE; parameters are as for `update`, and without keys all columns are assigned by name

  def updateClause(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): MergeAction =
    UpdateAction(optional(condition), assignments(keys, values))

  def updateAllClause(condition: Column): MergeAction = UpdateStarAction(optional(condition))

  def insertClause(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): MergeAction =
    InsertAction(optional(condition), assignments(keys, values))

  def insertAllClause(condition: Column): MergeAction = InsertStarAction(optional(condition))

  def deleteClause(condition: Column): MergeAction = DeleteAction(optional(condition))

  private def assignments(keys: java.util.List[String], values: java.util.List[Column]): Seq[Assignment] =
    plans.assignments(keys.asScala.toSeq, expressions(values))

  private def expressions(columns: java.util.List[Column]): Seq[Expression] =
    columns.asScala.toSeq.map(SparkLineSessions.expression(session, _))

  private def optional(column: Column): Option[Expression] =
    Option(column).map(SparkLineSessions.expression(session, _))
}

object AcidTableApi {

  /** The full ACID table of that name; Spark's own error if there is none, ours if it is something else. */
  def forName(session: SparkSession, name: String): AcidTableApi =
    new AcidTableApi(session, AcidTablePlans.forName(session, name))
}
