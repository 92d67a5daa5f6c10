package hiveacid.api

import hiveacid.wire.{TableCall, Wire}

import org.apache.spark.sql.Column
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.hiveacid.{RowAccess, SparkLineSessions}

/** The methods that `hive_acid.AcidTable` calls by py4j. A statement runs before they return. */
final class AcidTableApi private (session: SparkSession, plans: AcidTablePlans) {

  /** The table's rows; each call makes a query of its own, with a snapshot of its own. */
  def frame: DataFrame = RowAccess.frame(session, plans.relation)

  def aliased(other: String): AcidTableApi = new AcidTableApi(session, plans.aliased(other))

  /** @param call
    *   a TableCall of this table
    * @param columns
    *   those that it tells by their places
    * @param source
    *   that of a MERGE, else null
    */
  def call(call: String, columns: java.util.List[Column], source: DataFrame): DataFrame = {
    def column(place: Int) = SparkLineSessions.expression(session, columns.get(place))
    val called = new CalledTable(session, plans, Wire.read[TableCall](call), column, source.queryExecution.logical)
    RowAccess.frame(session, called.plan)
  }
}

object AcidTableApi {

  /** The full ACID table of that name; Spark's own error if there is none, ours if it is something else. */
  def forName(session: SparkSession, name: String): AcidTableApi =
    new AcidTableApi(session, AcidTablePlans.forName(session, name))
}
