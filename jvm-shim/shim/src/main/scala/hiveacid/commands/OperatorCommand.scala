package hiveacid.commands

import java.sql.Timestamp
import java.util.Locale

import hiveacid.plugins.TableStatement
import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.python.{PythonApi, PythonSide}
import hiveacid.scan.{AcidRelation, SessionTransactions}
import hiveacid.wire.{OperatorAnswer, OperatorRequest, OperatorStatement, Wire}

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedPartitionSpec
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ShowPartitions}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.execution.command.{ExplainCommand, LeafRunnableCommand}
import org.apache.spark.sql.hiveacid.SparkAccess
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StructType, TimestampType}

/** A statement about tables, transactions, locks or compactions: Python has parsed it and carries it out.
  *
  * @param partition
  *   the texts of its PARTITION clause by column, null for NULL
  */
case class OperatorCommand(
    parsed: OperatorStatement,
    partition: Map[String, String],
    override val output: Seq[Attribute]
) extends LeafRunnableCommand
    with TableStatement {
  import parsed.{condition, database, mustExist, ofSession, statement, table, title}

  override def nodeName: String = s"HiveAcid $title"
  override def statementKind: String = title
  override def targets: Seq[TableIdentifier] =
    table.flatMap(StatementCatalog.of(SparkSession.active, _)).map(_._2).toSeq
  override def sources: Seq[TableIdentifier] = Nil
  override def simpleString(maxFields: Int): String =
    (Seq(nodeName) ++ table.map(_.mkString(".")) ++ database).mkString(" ")

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val (catalog, id) = table.fold[(StatementCatalog, Option[TableIdentifier])](
      (if (ofSession) StatementCatalog.own(session) else StatementCatalog.current(session)) -> None
    ) { parts =>
      val (catalog, id) = StatementCatalog.of(session, parts).getOrElse(refuseCatalog(parts))
      catalog -> Some(id)
    }
    val described = id.filter(_ => mustExist || partition.nonEmpty).map(catalog.table) // or Spark's error
    val asked = request(session, id, described, catalog.api)
    val rows = SessionTransactions.ending(session)(answered(session, catalog, asked)).map(row)
    if (rows.isEmpty) { // a name that was mistyped, perhaps
      if (described.isEmpty) id.foreach(catalog.table)
      database.foreach(catalog.checkDatabase)
    }
    rows
  }

  /** The rows; a transaction that Python has begun is the session's from then on. */
  private def answered(session: SparkSession, catalog: StatementCatalog, asked: OperatorRequest): Seq[Seq[Any]] = {
    val answer = PythonSide.message[OperatorAnswer](catalog.api.operate(Wire.write(asked)))
    answer.begun.filterNot(SessionTransactions.begin(session, _)).foreach { second => // of two at once
      catalog.api.abandon(second)
      throw AcidException("HIVE_ACID_TRANSACTION_STATE.NESTED", Map("txnId" -> "(none)"))
    }
    answer.rows
  }

  private def refuseCatalog(parts: Seq[String]): Nothing = {
    val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.OTHER_CATALOG", Map("catalog" -> AcidTable.SessionCatalog))
    throw AcidException.unsupported(title, parts.mkString("."), refusal)
  }

  private def request(
      session: SparkSession,
      id: Option[TableIdentifier],
      described: Option[CatalogTable],
      api: PythonApi
  ): OperatorRequest = {
    val parts = described.filter(_ => partition.nonEmpty).toSeq.flatMap { found =>
      Overwrites.parts(session, found, SparkAccess.normalizedPartition(session, found, partition))
    }
    OperatorRequest(
      title = title,
      statement = statement,
      table = id.map(_.copy(catalog = None).unquotedString.toLowerCase(Locale.ROOT)),
      detail = described.map(TableDetails.of(session, _)),
      parts = parts,
      partitions =
        for { found <- described; text <- condition } yield PartitionCondition(title, found, text)
          .matching(session, PythonSide.message[Seq[String]](api.currentPartitions(AcidTable.name(found)))),
      transaction = SessionTransactions.of(session),
      settings = PythonSide.settings(session)
    )
  }

  private def row(values: Seq[Any]): Row =
    Row.fromSeq(values.zip(output).map { case (value, a) => typed(value, a.dataType) })

  private def typed(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (number: Number, LongType)      => number.longValue
    case (number: Number, IntegerType)   => number.intValue
    case (timeMs: Number, TimestampType) => new Timestamp(timeMs.longValue)
    case _                               => value
  }
}

object OperatorCommand {

  /** The statement in the text, or its EXPLAIN; None if the text does not begin like one, or has the words of another
    * engine and no transactional table. Throws Python's error for one that goes wrong.
    */
  def find(session: SparkSession, text: String): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    found <- PythonSide.message[Option[OperatorStatement]](api.operatorStatement(text))
    if !found.isForeign || found.table.flatMap(AcidRelation.read(session, _)).isDefined
  } yield {
    val command = of(found, found.clause.fold(Map.empty[String, String])(values(session, _)))
    found.explained.fold[LogicalPlan](command)(mode => ExplainCommand(command, ExplainMode.fromString(mode)))
  }

  /** The texts of a PARTITION clause by column, as Spark reads it in a statement of its own. */
  private def values(session: SparkSession, clause: String): Map[String, String] =
    session.sessionState.sqlParser.parsePlan(s"SHOW PARTITIONS t $clause") match {
      case ShowPartitions(_, Some(UnresolvedPartitionSpec(spec, _)), _) => spec
      case _ => throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"no partition in $clause"))
    }

  def of(found: OperatorStatement): OperatorCommand =
    of(found, found.partition.map { case (column, text) => column -> text.orNull })

  /** Spark's parser knows no schema without columns. */
  private def columns(schema: String): Seq[Attribute] =
    if (schema.isEmpty) Nil else StructType.fromDDL(schema).map(f => AttributeReference(f.name, f.dataType)())

  private def of(found: OperatorStatement, partition: Map[String, String]): OperatorCommand =
    OperatorCommand(found, partition, columns(found.schema))
}
