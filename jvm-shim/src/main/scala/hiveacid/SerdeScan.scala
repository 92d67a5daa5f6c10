package hiveacid

import java.time.ZoneId
import java.util.Locale

import org.apache.hadoop.fs.Path

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTablePartition, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FilterExec, LeafExecNode, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.hive.hiveacid.HiveScan
import org.apache.spark.sql.types.{DataType, TimestampNTZType, TimestampType}

/** Stands for files that Hive's SerDes read: a relation with it is planned by [[PlanSerdeScans]] and by nobody else. */
class SerdeFileFormat(val table: String) extends TransactionalFileFormat {
  override def toString: String = "HiveSerde"
  override def hashCode(): Int = table.hashCode
  override def equals(other: Any): Boolean = other match {
    case f: SerdeFileFormat => f.table == table
    case _                  => false
  }
}

/** Scans of insert-only tables whose files Hive's SerDes read. */
case class PlanSerdeScans(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalOperation(columns, filters, l @ LogicalRelation(fs: HadoopFsRelation, _, _, _, _))
        if fs.fileFormat.isInstanceOf[SerdeFileFormat] =>
      val table = l.catalogTable.get
      val (data, rest) = l.output.splitAt(fs.dataSchema.length)
      val (partition, hidden) = rest.splitAt(fs.partitionSchema.length)
      hidden.foreach(c =>
        throw AcidException.unsupportedTable(s"Reading the column ${c.name}", AcidTables.name(table), "there is none")
      )
      val used = AttributeSet(columns ++ filters)
      val pruning = filters.filter { f =>
        f.references.nonEmpty && f.references.subsetOf(AttributeSet(partition)) && !SubqueryExpression.hasSubquery(f)
      }
      val output = l.output.filter(used.contains)
      val scan = SerdeScanExec(output, fs.location.asInstanceOf[AcidFileIndex], table, data, partition, pruning)
      val rows = filters.reduceOption(And).fold[SparkPlan](scan)(FilterExec(_, scan))
      Seq(ProjectExec(columns, rows))
    case _ => Nil
  }
}

/** The rows of the files that the snapshot holds, each file read by Spark's own reader of tables of Hive. */
case class SerdeScanExec(
    output: Seq[Attribute],
    index: AcidFileIndex,
    table: CatalogTable,
    data: Seq[AttributeReference],
    partition: Seq[AttributeReference],
    pruning: Seq[Expression]
) extends LeafExecNode {
  override def nodeName: String = s"HiveAcid SerDe scan ${AcidTables.name(table)}"

  override protected def doExecute(): RDD[InternalRow] = {
    SerdeScanExec.refuseUnreadable(session, table, output)
    val files = index.list(pruning).flatMap { case (name, directory) => directory.files.map(name -> path(_)) }
    val parts = if (partition.isEmpty) Nil else session.sessionState.catalog.listPartitions(table.identifier)
    val described = parts.map(p => SerdeScanExec.name(table, p) -> p).toMap
    val placed = files.map { case (name, file) =>
      if (partition.isEmpty) file -> None else file -> Some(described.getOrElse(name, throw gone(name)))
    }
    HiveScan.rows(session, table, output, data, partition, placed)
  }

  private def gone(partition: String): AcidException = {
    val reason = s"its partition $partition is gone"
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> AcidTables.name(table), "reason" -> reason))
  }

  private def path(file: FileStatusWithMetadata): Path = {
    val path = file.fileStatus.getPath
    // Hadoop's input formats would look for other files
    if (path.toString.exists("*?[]{}\\".contains(_)))
      throw orc.ReadErrors(AcidTables.name(table)).unsupported(path, "its path holds a wildcard")
    path
  }
}

object SerdeScanExec {
  private val skipping =
    Seq("spark.files.ignoreMissingFiles", "spark.files.ignoreCorruptFiles", "spark.sql.hive.verifyPartitionPath")

  /** By the metastore's name, which the partition itself does not carry. */
  private def name(table: CatalogTable, p: CatalogTablePartition): String =
    table.partitionColumnNames
      .map { column =>
        val value = p.spec.collectFirst { case (key, v) if key.equalsIgnoreCase(column) => v }.orNull
        ExternalCatalogUtils.getPartitionPathString(column.toLowerCase(Locale.ROOT), value)
      }
      .mkString("/")

  private def refuseUnreadable(session: SparkSession, t: CatalogTable, read: Seq[Attribute]): Unit = {
    def refuse(reason: String) = throw AcidException.unsupportedTable("Access", AcidTables.name(t), reason)
    skipping.find(key => session.conf.getOption(key).exists(_.toBoolean)).foreach { key =>
      refuse(s"with $key=true files of the format might be skipped")
    }
    if (read.exists(a => holdsTimestamps(a.dataType))) {
      val (own, jvm) = (ZoneId.of(zoneOf(session), ZoneId.SHORT_IDS).getRules, ZoneId.systemDefault.getRules)
      // Spark takes a wall clock for one of the JVM's zone; the binary formats hold instants for what is a wall clock
      val isText = t.storage.serde.exists(_.endsWith("LazySimpleSerDe"))
      if (own != jvm || !isText && own != ZoneId.of("UTC").getRules)
        refuse(
          s"it holds TIMESTAMPs, and Spark reads those of such files right only where session and JVM have the same " +
            s"time zone${if (isText) "" else ", UTC"}"
        )
    }
  }

  private def zoneOf(session: SparkSession): String = session.sessionState.conf.sessionLocalTimeZone

  private def holdsTimestamps(t: DataType): Boolean =
    parquet.Conversion.ofTimestamps(t, identity, identity).isDefined
}
