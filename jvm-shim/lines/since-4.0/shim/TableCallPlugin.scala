package hiveacid.connect

import java.util.Optional

import hiveacid.api.{AcidTablePlans, CalledTable}
import hiveacid.errors.AcidException
import hiveacid.sidecar.SidecarEntry
import hiveacid.wire.{TableCall, Wire}

import org.apache.spark.SparkEnv
import org.apache.spark.connect.proto
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.connect.plugin.RelationPlugin
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
      val call = TableCallPlugin.read(content.getExpressions(0).getLiteral.getString)
      val found = AcidTablePlans.forName(planner.session, call.table).knownAs(call.frames.map(_.toLong))
      val table = call.alias.fold(found)(found.aliased)
      // the text comes first among the expressions
      def column(place: Int) = planner.transformExpression(content.getExpressions(place + 1))
      def source = planner.transformRelation(content.getInput)
      Optional.of(new CalledTable(planner.session, table, call, column, source).plan)
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
