package hiveacid.analysis

import java.util.Locale

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** A new table that is to be transactional is one of Hive's, and of ORC where no format is named: Spark would make one
  * of its own data sources. An option of that name means the property.
  *
  * Before Spark chooses the source.
  */
case class SpecifyTransactional(session: SparkSession) extends Rule[LogicalPlan] {
  import SpecifyTransactional._

  private val Ours = new SessionNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case c @ CreateTable(Ours(name), _, _, spec: UnresolvedTableSpec, _) if isMeant(spec) =>
      c.copy(tableSpec = specified("CREATE TABLE", name.unquotedString, spec))
    case c @ CreateTableAsSelect(Ours(name), _, _, spec: UnresolvedTableSpec, options, _, _)
        if isMeant(spec) || AcidTable.setsTransactional(options) =>
      val (kind, others) = options.partition { case (key, _) => isOfKind(key) }
      val named = spec.copy(properties = spec.properties ++ kind)
      c.copy(tableSpec = specified("CREATE TABLE … AS SELECT", name.unquotedString, named), writeOptions = others)
  }

  private def isMeant(s: UnresolvedTableSpec) =
    (s.provider.isEmpty && s.serde.isEmpty && AcidTable.setsTransactional(s.properties)) ||
      AcidTable.setsTransactional(texts(s.optionExpression))

  private def specified(operation: String, name: String, s: UnresolvedTableSpec): UnresolvedTableSpec = {
    val (kind, others) = s.optionExpression.options.partition { case (key, _) => isOfKind(key) }
    val properties = s.properties ++ texts(OptionList(kind))
    if (s.serde.isDefined) s.copy(properties = properties, optionExpression = OptionList(others))
    else {
      if (kind.nonEmpty) s.provider.foreach(refuseOther(session, operation, name, _))
      s.copy(
        properties = properties,
        provider = if (kind.nonEmpty) None else s.provider,
        optionExpression = OptionList(others),
        serde = if (kind.nonEmpty || s.provider.isEmpty) Some(SerdeInfo(storedAs = Some("ORC"))) else None
      )
    }
  }

  private def texts(options: OptionList): Map[String, String] =
    options.options.collect { case (key, Literal(value, _)) if value != null => key -> value.toString }.toMap
}

object SpecifyTransactional {

  /** Whether a property or option says what kind of transactional table is meant. */
  def isOfKind(key: String): Boolean = key.toLowerCase(Locale.ROOT).startsWith("transactional")

  /** Refuses a format that is neither that of every new table, if none is named, nor one that full ACID tables have. */
  def refuseOther(session: SparkSession, operation: String, name: String, provider: String): Unit = {
    val taken = Set("orc", "hive", session.sessionState.conf.defaultDataSourceName.toLowerCase(Locale.ROOT))
    if (!taken(provider.toLowerCase(Locale.ROOT))) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT", Map("format" -> provider))
      throw AcidException.unsupported(operation, name, refusal)
    }
  }
}
