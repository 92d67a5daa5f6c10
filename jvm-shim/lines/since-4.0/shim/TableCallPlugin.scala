package hiveacid.connect

import java.util.Optional

import hiveacid.api.AcidTablePlans
import hiveacid.errors.AcidException
import hiveacid.python.{PythonApi, PythonSide}
import hiveacid.sidecar.SidecarEntry
import hiveacid.values.AcidTable
import hiveacid.wire.{CalledClause, TableCall, TableQuestion, Wire}

import org.apache.spark.SparkEnv
import org.apache.spark.connect.proto
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.connect.plugin.RelationPlugin
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.sparkproject.connect.protobuf.{Any => Packed, ByteString}

/** Makes plans of the calls of `hive_acid.AcidTable` in clients of Spark Connect: in servers of Spark 4.0 and later
  * that have `spark.connect.extensions.relation.classes=hiveacid.connect.TableCallPlugin`. A call is a relation of
  * ours, which Spark's planner hands to its plugins; in it is a projection: the call as a text, then its columns, from
  * the source of a MERGE.
  */
class TableCallPlugin extends RelationPlugin {
  override def transform(relation: Array[Byte], planner: SparkConnectPlanner): Optional[LogicalPlan] = {
    val packed = Packed.parseFrom(TableCallPlugin.stream(ByteString.copyFrom(relation)))
    if (packed.getTypeUrl != TableCallPlugin.TypeUrl) Optional.empty()
    else {
      val content = proto.Relation.parseFrom(TableCallPlugin.stream(packed.getValue)).getProject
      val text = content.getExpressions(0).getLiteral.getString
      Optional.of(new CalledTable(planner, content, TableCallPlugin.read(text)).plan)
    }
  }
}

object TableCallPlugin {
  private val TypeUrl = "type.googleapis.com/hiveacid.TableCall"
  private val RecursionLimit = "spark.connect.grpc.marshallerRecursionLimit"
  private val DefaultLimit = 1024 // Connect.CONNECT_GRPC_MARSHALLER_RECURSION_LIMIT

  /** As deep as Spark's own messages may be. */
  private def stream(bytes: ByteString) = {
    val found = bytes.newCodedInput()
    found.setRecursionLimit(SparkEnv.get.conf.getInt(RecursionLimit, DefaultLimit))
    found
  }

  /** Refuses the call of a package of another version by name: messages have no fixed form. */
  private def read(text: String): TableCall = {
    val version = Wire.read[Map[String, Any]](text).get("version").fold("")(_.toString)
    if (version != SidecarEntry.version) {
      val parameters = Map("version" -> SidecarEntry.version, "found" -> version)
      throw AcidException("HIVE_ACID_CONFIGURATION.CONNECT_CLIENT_OF_OTHER_VERSION", parameters)
    }
    Wire.read[TableCall](text)
  }
}

/** One call. */
final private class CalledTable(planner: SparkConnectPlanner, content: proto.Project, call: TableCall) {
  private val session = planner.session
  private val table = {
    val found = AcidTablePlans.forName(session, call.table).knownAs(call.frames.map(_.toLong))
    call.alias.fold(found)(found.aliased)
  }

  def plan: LogicalPlan = call.method match {
    case "describe" => answer(Wire.write(table.detail))
    case "content"  => ask(_.tableContent(_))
    case "history"  => ask(_.tableHistory(_))
    case "delete"   => table.delete(call.condition.map(column))
    case "update"   => table.update(call.condition.map(column), call.keys, call.values.map(column))
    case "merge"    => merge
    case "truncate" => table.truncate(call.partition.map(_.map { case (name, text) => name -> text.orNull }))
    case "compact"  => table.operate(call.statement.get)
  }

  private def merge: LogicalPlan = {
    def clauses(group: String) = call.clauses.filter(_.group == group).map(action)
    table.merge(
      planner.transformRelation(content.getInput),
      column(call.condition.get),
      clauses("matched"),
      clauses("notMatched"),
      clauses("notMatchedBySource")
    )
  }

  private def action(clause: CalledClause): MergeAction = {
    val condition = clause.condition.map(column)
    val assigned = clause.keys.map(table.assignments(_, clause.values.get.map(column)))
    clause.action match {
      case "delete" => DeleteAction(condition)
      case "update" => assigned.fold[MergeAction](UpdateStarAction(condition))(UpdateAction(condition, _))
      case "insert" => assigned.fold[MergeAction](InsertStarAction(condition))(InsertAction(condition, _))
    }
  }

  /** The text comes first among the expressions. */
  private def column(place: Int): Expression = planner.transformExpression(content.getExpressions(place + 1))

  private def ask(question: (PythonApi, String) => Object): LogicalPlan = {
    val description = table.description
    val asked = TableQuestion(AcidTable.name(description), call.limit, PythonSide.settings(session))
    answer(PythonSide.text(question(PythonSide.apiFor(session, description), Wire.write(asked))))
  }

  /** One row with a text. */
  private def answer(text: String): LogicalPlan = {
    val output = AttributeReference("answer", StringType, nullable = false)()
    LocalRelation(Seq(output), Seq(InternalRow(UTF8String.fromString(text))))
  }
}
