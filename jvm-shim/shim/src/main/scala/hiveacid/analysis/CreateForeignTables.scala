package hiveacid.analysis

import java.util.Locale

import hiveacid.analysis.ForeignNames.{name, Foreign, ForeignDatabase}
import hiveacid.catalog.{MetastoreCatalog, MetastoreTable}
import hiveacid.commands.{CreateForeignTableCommand, CreateTableAsSelectCommand, StatementTexts}
import hiveacid.scan.{AcidRelation, SessionTransactions}
import hiveacid.wire.DdlKind

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{BucketSpec, CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.{GeneratedColumn, ResolveDefaultColumns}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.expressions.{Literal => Constant, NamedReference, Transform}
import org.apache.spark.sql.hiveacid.{SparkLineNodes, SparkAccess}
import org.apache.spark.sql.internal.HiveSerDe
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

/** CREATE TABLE and CREATE TABLE … AS SELECT in a catalog with a metastore of its own. After Spark's own resolution
  * rules: names, the columns' types and the query are resolved by then. A transaction of the session's own metastore
  * has no part in it, and so refuses it.
  */
case class CreateForeignTables(session: SparkSession) extends Rule[LogicalPlan] {
  private val Operation = "CREATE TABLE"

  /** Options by which USING hive names a format (HiveOptions). */
  private val FormatOptions = Set("fileformat", "inputformat", "outputformat", "serde")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c @ CreateTable(Foreign(catalog, id), _, _, spec: TableSpec, ignoreIfExists) if c.resolved =>
      SessionTransactions.refuse(session, Operation, name(catalog, id))
      refuseClauses(catalog, id, c.tableSchema, spec)
      CreateForeignTableCommand(described(catalog, id, c, spec), ignoreIfExists)
    case c @ CreateTableAsSelect(Foreign(catalog, id), _, query, spec: TableSpec, _, ignoreIfExists, _) if c.resolved =>
      SessionTransactions.refuse(session, "CREATE TABLE … AS SELECT", name(catalog, id))
      val table = described(catalog, id, c, spec)
      AcidRelation.refuseUnwritable("CREATE TABLE … AS SELECT", table)
      if (!catalog.tableExists(id)) creation(table, query)
      else if (ignoreIfExists) LocalRelation()
      else throw SparkAccess.tableAlreadyExists(table)
    case d @ DropTable(Foreign(catalog, id), _, _) =>
      SessionTransactions.refuse(session, DdlKind.DropTable.title, name(catalog, id))
      d
    case d @ DropNamespace(ForeignDatabase(catalog, id), _, _) =>
      SessionTransactions.refuse(session, DdlKind.DropDatabase.title, name(catalog, id))
      d
  }

  private def creation(table: CatalogTable, query: LogicalPlan): LogicalPlan = {
    val columns = query.output.map(a => Alias(a, a.name)())
    val (partition, data) = columns.partition(c => table.partitionColumnNames.exists(_.equalsIgnoreCase(c.name)))
    CurrentOrigin.withOrigin(StatementTexts.origin(query, "CREATE")) {
      CreateTableAsSelectCommand(table, Project(data ++ partition, query))
    }
  }

  /** The new table, as Spark's own catalog would describe it. */
  private def described(catalog: MetastoreCatalog, id: Identifier, c: V2CreateTablePlan, spec: TableSpec) = {
    val (partition, buckets) = layout(catalog, id, c.partitioning)
    val (last, first) = c.tableSchema.partition(f => partition.exists(_.equalsIgnoreCase(f.name)))
    val table = CatalogTable(
      identifier = TableIdentifier(id.name, id.namespace.headOption, Some(catalog.name)),
      tableType = if (spec.external) CatalogTableType.EXTERNAL else CatalogTableType.MANAGED,
      storage = storage(spec),
      schema = StructType(first ++ partition.flatMap(name => last.find(_.name.equalsIgnoreCase(name)))),
      provider = Some("hive"),
      partitionColumnNames = partition,
      bucketSpec = buckets,
      properties = spec.properties,
      comment = spec.comment
    )
    MetastoreTable.refusePlain(Operation, table)
    PlaceNewTables.refuse(table)
    AcidRelation.formatOf(Operation, table)
    table
  }

  /** Refuses clauses that a metastore of Hive would not keep with the table. */
  private def refuseClauses(catalog: MetastoreCatalog, id: Identifier, schema: StructType, spec: TableSpec): Unit = {
    val clauses = schema.flatMap(clause) ++
      Some("constraints").filter(_ => SparkLineNodes.hasConstraints(spec)) ++
      spec.options.keys.filter(key => FormatOptions(key.toLowerCase(Locale.ROOT))).map(key => s"OPTIONS ($key)")
    clauses.headOption.foreach(found => catalog.refuse(s"$Operation with $found", id))
  }

  private def clause(f: StructField): Option[String] =
    if (GeneratedColumn.isGeneratedColumn(f)) Some("GENERATED ALWAYS")
    else if (f.metadata.contains("identity.start")) Some("IDENTITY") // IdentityColumn, since 4.0
    else if (f.metadata.contains(ResolveDefaultColumns.CURRENT_DEFAULT_COLUMN_METADATA_KEY)) Some("DEFAULT")
    else Some("NOT NULL").filter(_ => !f.nullable || hasRequiredField(f.dataType))

  private def hasRequiredField(dataType: DataType): Boolean = dataType match {
    case StructType(fields)     => fields.exists(f => !f.nullable || hasRequiredField(f.dataType))
    case ArrayType(element, _)  => hasRequiredField(element)
    case MapType(key, value, _) => hasRequiredField(key) || hasRequiredField(value)
    case _                      => false
  }

  /** The files are ORC unless it is said otherwise; with ROW FORMAT alone they are text, as Hive has it. */
  private def storage(spec: TableSpec): CatalogStorageFormat = {
    val named = spec.serde.flatMap(_.storedAs).orElse(spec.provider.filterNot(_.equalsIgnoreCase("hive")))
    val classes = spec.serde.flatMap(_.formatClasses)
    val known = HiveSerDe.sourceToSerDe(named.getOrElse(if (spec.serde.isDefined) "textfile" else "orc"))
    CatalogStorageFormat(
      locationUri = spec.location.map(CatalogUtils.stringToURI),
      inputFormat = classes.map(_.input).orElse(known.flatMap(_.inputFormat)).orElse(named),
      outputFormat = classes.map(_.output).orElse(known.flatMap(_.outputFormat)),
      serde = spec.serde.flatMap(_.serde).orElse(known.flatMap(_.serde)),
      compressed = false,
      properties = spec.serde.fold(Map.empty[String, String])(_.serdeProperties) ++ spec.options
    )
  }

  /** Partition columns, and buckets. */
  private def layout(catalog: MetastoreCatalog, id: Identifier, transforms: Seq[Transform]) = {
    val buckets = transforms.filter(t => t.name == "bucket" || t.name == "sorted_bucket")
    val (partition, others) = transforms.diff(buckets).partition(isColumn)
    others.foreach(t => catalog.refuse(s"$Operation PARTITIONED BY ${t.describe}", id))
    (partition.flatMap(names), buckets.headOption.map(bucketSpec))
  }

  private def isColumn(t: Transform) = t.name == "identity" && t.references.forall(_.fieldNames.length == 1)

  private def names(t: Transform) = t.references.toSeq.map((r: NamedReference) => r.fieldNames.mkString("."))

  /** Columns to sort by come behind those of the buckets (SortedBucketTransform). */
  private def bucketSpec(t: Transform) = {
    val count = t.arguments.collectFirst { case c: Constant[_] => c.value.asInstanceOf[Int] }
    val before = t.arguments.takeWhile(!_.isInstanceOf[Constant[_]]).length
    val isSorted = t.name == "sorted_bucket"
    val all = names(t)
    val (columns, sorted) = if (isSorted) all.splitAt(before) else (all, Nil)
    BucketSpec(count.getOrElse(0), columns, sorted)
  }
}
