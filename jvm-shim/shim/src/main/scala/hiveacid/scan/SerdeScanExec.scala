package hiveacid.scan

import java.time.ZoneId
import java.util.Locale

import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, QuietPaths, Refusal}
import hiveacid.formats.ReadErrors
import hiveacid.formats.parquet.Conversion
import hiveacid.read.AmbiguousDays
import org.apache.hadoop.fs.Path

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTablePartition, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.hive.hiveacid.HiveScan
import org.apache.spark.sql.types.{DataType, NullType, TimestampNTZType, TimestampType}

/** The rows of the files that the snapshot holds, each file read by Spark's own reader of tables of Hive. */
case class SerdeScanExec(
    output: Seq[Attribute],
    @transient index: AcidFileIndex,
    table: CatalogTable,
    data: Seq[AttributeReference],
    partition: Seq[AttributeReference],
    pruning: Seq[Expression]
) extends LeafExecNode {
  override def nodeName: String = s"HiveAcid SerDe scan ${AcidTable.name(table)}"

  override protected def doExecute(): RDD[InternalRow] = {
    SerdeScanExec.refuseUnreadable(session, table, output)
    val listed = index.list(pruning)
    val files = listed.flatMap { case (name, directory) => directory.files.map(name -> path(_)) }
    val query = listed.flatMap(_._2.files).flatMap(_.metadata.get(AcidFileIndex.QueryKey)).headOption
    val parts = if (partition.isEmpty) Nil else session.sessionState.catalog.listPartitions(table.identifier)
    val described = parts.map(p => SerdeScanExec.name(table, p) -> p).toMap
    val placed = files.map { case (name, file) =>
      if (partition.isEmpty) file -> None else file -> Some(described.getOrElse(name, throw gone(name)))
    }
    val rows = checked(HiveScan.rows(session, table, output, data, partition, placed))
    query.fold(rows)(new HeldRows(rows, _))
  }

  private def checked(rows: RDD[InternalRow]): RDD[InternalRow] = {
    // a partition's own value comes from its name
    val types = output.map(a => if (partition.exists(_.exprId == a.exprId)) NullType else a.dataType)
    val days = table.storage.serde.flatMap(AmbiguousDays.of(_, AcidTable.name(table)))
    days.flatMap(_.check(types)).fold(rows)(check => rows.map(check))
  }

  private def gone(partition: String): AcidException = {
    val reason = s"its ${QuietPaths.showPartition(partition)} is gone"
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> AcidTable.name(table), "reason" -> reason))
  }

  private def path(file: FileStatusWithMetadata): Path = {
    val path = file.fileStatus.getPath
    // Hadoop's input formats would look for other files
    if (path.toString.exists("*?[]{}\\".contains(_)))
      throw ReadErrors(AcidTable.name(table)).unsupported(path, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.WILDCARD_PATH"))
    path
  }
}

/** The rows, and what keeps the snapshot of their files. */
final private class HeldRows(rows: RDD[InternalRow], @transient private val query: Any) extends RDD[InternalRow](rows) {
  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions
  override def compute(part: Partition, context: TaskContext): Iterator[InternalRow] =
    firstParent[InternalRow].iterator(part, context)
  override def toString: String = s"${super.toString} for $query"
}

object SerdeScanExec {
  private val skipping =
    Seq("spark.files.ignoreMissingFiles", "spark.files.ignoreCorruptFiles", "spark.sql.hive.verifyPartitionPath")

  /** The partition by the metastore's name, which the partition itself does not carry. */
  private def name(table: CatalogTable, p: CatalogTablePartition): String =
    table.partitionColumnNames
      .map { column =>
        val value = p.spec.collectFirst { case (key, v) if key.equalsIgnoreCase(column) => v }.orNull
        ExternalCatalogUtils.getPartitionPathString(column.toLowerCase(Locale.ROOT), value)
      }
      .mkString("/")

  private def refuseUnreadable(session: SparkSession, t: CatalogTable, read: Seq[Attribute]): Unit = {
    def refuse(refusal: Refusal) = AcidTable.refuse("Access", t, refusal)
    skipping.find(key => session.conf.getOption(key).exists(_.toBoolean)).foreach { key =>
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FILES_MAY_BE_SKIPPED", Map("setting" -> key)))
    }
    if (read.exists(a => holdsTimestamps(a.dataType))) {
      val (own, jvm) = (ZoneId.of(zoneOf(session), ZoneId.SHORT_IDS).getRules, ZoneId.systemDefault.getRules)
      // Spark takes a wall clock for one of the JVM's zone; the binary formats hold instants for what is a wall clock
      val isText = t.storage.serde.exists(_.endsWith("LazySimpleSerDe"))
      if (own != jvm || !isText && own != ZoneId.of("UTC").getRules)
        refuse(
          if (isText) Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SERDE_TIME_ZONE")
          else Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SERDE_TIME_ZONE_UTC")
        )
    }
  }

  private def zoneOf(session: SparkSession): String = session.sessionState.conf.sessionLocalTimeZone

  private def holdsTimestamps(t: DataType): Boolean =
    Conversion.holds(t)(one => one == TimestampType || one == TimestampNTZType)
}
