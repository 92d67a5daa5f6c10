package hiveacid.commands

import java.util.Locale

import scala.jdk.CollectionConverters._

import hiveacid.values.AcidTable
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import hiveacid.errors.AcidException
import hiveacid.python.PythonSide
import hiveacid.scan.SessionTransactions

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.execution.command.{ExplainCommand, LeafRunnableCommand}
import org.apache.spark.sql.hiveacid.SparkAccess
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StructType}

/** A statement about transactions, locks or compactions: Python has parsed it and carries it out.
  *
  * @param title
  *   for people
  * @param table
  *   the parts of its name, if it names one, as they were written
  * @param partition
  *   the texts of its PARTITION clause by column, null for NULL
  * @param mustExist
  *   false: there may be something to tell about a table that is not there any more, or not yet
  * @param statement
  *   what Python knows it by
  */
case class OperatorCommand(
    title: String,
    override val output: Seq[Attribute],
    table: Option[Seq[String]],
    partition: Map[String, String],
    database: Option[String],
    mustExist: Boolean,
    statement: String
) extends LeafRunnableCommand {
  override def nodeName: String = s"HiveAcid $title"
  override def simpleString(maxFields: Int): String =
    (Seq(nodeName) ++ table.map(_.mkString(".")) ++ database).mkString(" ")

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val catalog = session.sessionState.catalog
    val id = table.map(identifier(session, _))
    val described = id.filter(_ => mustExist || partition.nonEmpty).map(catalog.getTableMetadata) // or Spark's error
    val answer = RunningStatements.operate(request(session, id, described))
    val rows = new ObjectMapper().readTree(answer).elements.asScala.map(row).toSeq
    if (rows.isEmpty) { // a name that was mistyped, perhaps
      if (described.isEmpty) id.foreach(catalog.getTableMetadata)
      database.foreach(catalog.getDatabaseMetadata)
    }
    rows
  }

  private def identifier(session: SparkSession, parts: Seq[String]): TableIdentifier =
    SparkAccess.sessionIdentifier(session, parts).getOrElse {
      val reason = s"it is not in ${AcidTable.SessionCatalog}, the only catalog whose tables are Hive's"
      throw AcidException.unsupportedTable(title, parts.mkString("."), reason)
    }

  private def request(session: SparkSession, id: Option[TableIdentifier], described: Option[CatalogTable]): String = {
    val json = new ObjectMapper
    val request = json.createObjectNode()
    request.set[JsonNode]("statement", json.readTree(statement))
    id.foreach(found => request.put("table", found.unquotedString.toLowerCase(Locale.ROOT)))
    val parts = request.putArray("parts")
    for (found <- described if partition.nonEmpty) {
      val values = SparkAccess.normalizedPartition(session, found, partition)
      Overwrite.parts(session, found, values).foreach(part => parts.add(part))
    }
    request.put("inTransaction", SessionTransactions.of(session).isDefined)
    PythonSide.putSettings(request, session)
    request.toString
  }

  private def row(values: JsonNode): Row =
    Row.fromSeq(values.elements.asScala.toSeq.zip(output).map { case (value, a) => typed(value, a.dataType) })

  private def typed(value: JsonNode, dataType: DataType): Any = dataType match {
    case _ if value.isNull => null
    case LongType          => value.asLong
    case BooleanType       => value.asBoolean
    case _                 => value.asText
  }
}

object OperatorCommand {

  /** The statement in the text, or its EXPLAIN; None if the text does not begin like one. Throws Python's error for one
    * that goes wrong.
    */
  def find(text: String): Option[LogicalPlan] = for {
    planner <- PythonSide.registered
    answer = new ObjectMapper().readTree(PythonSide.text(planner.operatorStatement(text)))
    if !answer.isNull
  } yield {
    val command = of(answer)
    Option(answer.get("explained").textValue).fold[LogicalPlan](command) { mode =>
      ExplainCommand(command, ExplainMode.fromString(mode))
    }
  }

  /** @param description
    *   as Python gives it
    */
  def of(description: JsonNode): OperatorCommand = OperatorCommand(
    description.get("title").asText,
    StructType.fromDDL(description.get("schema").asText).map(f => AttributeReference(f.name, f.dataType)()),
    Option(description.get("table")).filterNot(_.isNull).map(_.elements.asScala.map(_.asText).toSeq),
    description.get("partition").properties.asScala.map(e => e.getKey -> e.getValue.textValue).toMap,
    Option(description.get("database").textValue),
    description.get("mustExist").asBoolean,
    description.get("statement").toString
  )
}
