package hiveacid.api

import scala.jdk.CollectionConverters._

import hiveacid.catalog.OwnTables
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.commands.OperatorCommand
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.wire.{OperatorStatement, TableDetail, Wire}

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{LinePlans, LineSessions, SparkAccess}

/** The methods that `hive_acid.AcidTable` calls. A statement becomes the node that Spark's parser makes of its SQL
  * text, so that it goes the way of `spark.sql`.
  *
  * The table is looked up by each call, but its columns keep their attribute IDs for as long as they keep their types:
  * a column of one `frame` means the same in a later statement.
  */
final class AcidTableApi private (
    session: SparkSession,
    name: String,
    columns: Seq[AttributeReference],
    alias: Option[String]
) {

  /** The table's rows; each call makes a query of its own, with a snapshot of its own. */
  def frame: DataFrame = SparkAccess.frame(session, relation)

  def aliased(other: String): AcidTableApi = new AcidTableApi(session, name, columns, Some(other))

  /** @param condition
    *   null: all rows
    */
  def delete(condition: Column): DataFrame =
    SparkAccess.frame(session, DeleteFromTable(relation, expression(condition).getOrElse(Literal.TrueLiteral)))

  /** @param partition
    *   texts by partition column, null for NULL; null: the whole table
    */
  def truncate(partition: java.util.Map[String, String]): Unit = {
    val operation = "TRUNCATE TABLE"
    val id = AcidTableApi.target(session, name, operation).catalogTable.get.identifier
    val table = LinePlans.table(id.nameParts, operation)
    val statement = Option(partition).fold[LogicalPlan](TruncateTable(table)) { values =>
      TruncatePartition(table, UnresolvedPartitionSpec(values.asScala.toMap))
    }
    SparkAccess.frame(session, statement)
  }

  /** @param statement
    *   an OperatorStatement, but for the table
    */
  def operate(statement: String): DataFrame = {
    val id = AcidTableApi.target(session, name, "ALTER TABLE … COMPACT").catalogTable.get.identifier
    val command = OperatorCommand.of(Wire.read[OperatorStatement](statement))
    SparkAccess.frame(session, command.copy(table = Some(id.nameParts)))
  }

  /** The catalog's knowledge of the table: a TableDetail. */
  def description: String = {
    val table = AcidTableApi.target(session, name, "AcidTable.detail").catalogTable.get
    val detail = TableDetail(
      name = AcidTable.name(table),
      owner = table.owner,
      createdAtMs = table.createTime,
      location = table.storage.locationUri.map(CatalogUtils.URIToString),
      numBuckets = table.bucketSpec.fold(0)(_.numBuckets),
      partitionColumns = table.partitionColumnNames,
      bucketColumns = table.bucketSpec.fold(Seq.empty[String])(_.bucketColumnNames),
      properties = table.properties,
      catalog = OwnTables.catalogOf(session, table).map(_.request)
    )
    Wire.write(detail)
  }

  /** @param condition
    *   null: all rows
    * @param keys
    *   columns or nested fields, named as in SQL
    * @param values
    *   what is assigned, one for each of `keys`
    */
  def update(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): DataFrame =
    SparkAccess.frame(session, UpdateTable(relation, assignments(keys, values), expression(condition)))

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
    val statement = LinePlans.merge(
      relation,
      source.queryExecution.logical,
      LineSessions.expression(session, condition),
      matched.asScala.toSeq,
      notMatched.asScala.toSeq,
      notMatchedBySource.asScala.toSeq
    )
    SparkAccess.frame(session, statement)
  }

  // the clauses of a MERGE; parameters are as for `update`, and without keys all columns are assigned by name

  def updateClause(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): MergeAction =
    UpdateAction(expression(condition), assignments(keys, values))

  def updateAllClause(condition: Column): MergeAction = UpdateStarAction(expression(condition))

  def insertClause(condition: Column, keys: java.util.List[String], values: java.util.List[Column]): MergeAction =
    InsertAction(expression(condition), assignments(keys, values))

  def insertAllClause(condition: Column): MergeAction = InsertStarAction(expression(condition))

  def deleteClause(condition: Column): MergeAction = DeleteAction(expression(condition))

  private def assignments(keys: java.util.List[String], values: java.util.List[Column]): Seq[Assignment] = {
    val parser = session.sessionState.sqlParser
    keys.asScala.toSeq.zip(values.asScala).map { case (key, value) =>
      Assignment(UnresolvedAttribute(parser.parseMultipartIdentifier(key)), LineSessions.expression(session, value))
    }
  }

  private def expression(column: Column): Option[Expression] = Option(column).map(LineSessions.expression(session, _))

  private def relation: LogicalPlan = {
    val plan = AcidTableApi.resolve(session, name).transform { case l: LogicalRelation =>
      l.copy(output = l.output.map { a =>
        val old = columns.find(c => c.name.equalsIgnoreCase(a.name) && c.dataType == a.dataType)
        old.fold(a)(c => a.withExprId(c.exprId))
      })
    }
    alias.fold(plan)(SubqueryAlias(_, plan))
  }
}

object AcidTableApi {

  /** The full ACID table of that name; Spark's own error if there is none, ours if it is something else. */
  def forName(session: SparkSession, name: String): AcidTableApi = {
    val operation = "AcidTable.forName"
    val relation = target(session, name, operation)
    new AcidTableApi(session, relation.catalogTable.get.identifier.quotedString, relation.output, None)
  }

  private def target(session: SparkSession, name: String, operation: String): LogicalRelation =
    resolve(session, name) match {
      case AcidRelation.Target(l) => l
      case plan                   =>
        val refusal =
          if (plan.exists(_.isInstanceOf[View])) Refusal("HIVE_ACID_UNSUPPORTED_TABLE.VIEW")
          else Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")
        throw AcidException.unsupported(operation, name, refusal)
    }

  private def resolve(session: SparkSession, name: String): LogicalPlan = session.table(name).queryExecution.analyzed
}
