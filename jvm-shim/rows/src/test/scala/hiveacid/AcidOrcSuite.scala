package hiveacid

import java.io.File
import java.nio.file.Files

import scala.concurrent.duration._

import hiveacid.errors.AcidException
import hiveacid.formats.{Evolution, ReadErrors}
import hiveacid.formats.orc.{AcidOrcFileFormat, FilePruning, TableOrcFileFormat}
import hiveacid.values.{DeleteKind, InsertKind, RowWrites, UpdateKind}
import hiveacid.wire.{
  OutputJob,
  Buckets,
  DeleteFolder,
  Layout,
  PartitionDeletes,
  Place,
  ScanFile,
  Spread,
  Wire,
  WriteResult,
  WriteSpec
}
import hiveacid.write.SpecChanges.SpecChange
import hiveacid.write.WriteJob
import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.orc.{OrcFile, OrcProto}

import org.apache.spark.sql.{DataFrame, Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  HadoopFsRelation,
  PartitionDirectory
}
import org.apache.spark.sql.hiveacid.RowAccess
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** A local session without a metastore, and tables that are folders. */
abstract class AcidOrcSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 5.minutes

  /** Settings of the session beside the common ones. */
  protected def master: String = "local[2]"
  protected def settings: Map[String, String] = Map.empty

  protected lazy val spark: SparkSession = {
    val builder = ApiSession.builder().master(master).config("spark.ui.enabled", "false")
    val common = Map(
      "spark.sql.shuffle.partitions" -> "3",
      "spark.driver.host" -> "127.0.0.1",
      "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch" -> "true", // as the builder has it
      "spark.sql.datetime.java8API.enabled" -> "true" // instants compare exactly, whatever the JVM's zone
    )
    (common ++ settings)
      .foreach { case (k, v) => builder.config(k, v) }
    builder.getOrCreate().asInstanceOf[SparkSession]
  }

  private var folders = List.empty[File]

  override def afterAll(): Unit = {
    spark.stop()
    folders.foreach(FileUtils.deleteDirectory)
    folders.foreach(_.deleteOnExit()) // the first session's spark.local.dir is made again by all later ones of the JVM
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
  }

  /** A folder that goes with the suite. */
  protected def localFolder(): File = {
    folders ::= Files.createTempDirectory("hive-acid").toFile
    folders.head
  }
  protected def temporaryFolder(): Path = new Path(localFolder().toURI)

  /** Runs `body` with session settings that are undone afterwards. */
  protected def withConf[T](pairs: (String, String)*)(body: => T): T = {
    val before = pairs.map { case (k, _) => k -> spark.conf.getOption(k) }
    pairs.foreach { case (k, v) => spark.conf.set(k, v) }
    try body
    finally before.foreach { case (k, v) => v.fold(spark.conf.unset(k))(spark.conf.set(k, _)) }
  }

  /** The error with a named condition among the causes of what `body` throws. */
  protected def acidError(body: => Any): AcidException = {
    val thrown = intercept[Throwable](body)
    Iterator
      .iterate(thrown)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: AcidException => e }
      .getOrElse(throw new AssertionError(s"no named condition in $thrown", thrown))
  }

  protected def sameRows(actual: DataFrame, expected: DataFrame): Unit = {
    val (a, e) = (texts(actual), texts(expected))
    val (wrong, missing) = (a.diff(e).sorted.take(2), e.diff(a).sorted.take(2))
    assert(wrong.isEmpty && missing.isEmpty, s"${a.length} rows, e.g. $wrong, instead of ${e.length}, e.g. $missing")
  }

  /** As Spark shows it. Scala 2.12 calls an array in it by another name. */
  protected def shown(row: Row): String = row.toString.replace("WrappedArray", "ArraySeq")

  private def texts(rows: DataFrame): Seq[String] = rows.collect().toSeq.map(text)

  private def text(value: Any): String = value match {
    case r: Row         => r.toSeq.map(text).mkString("[", ",", "]")
    case s: Seq[_]      => s.map(text).mkString("(", ",", ")")
    case m: Map[_, _]   => m.toSeq.map { case (k, v) => text(k) + "->" + text(v) }.sorted.mkString("{", ",", "}")
    case b: Array[Byte] => b.mkString("x", ".", "")
    case other          => String.valueOf(other)
  }

  /** A table of one partition: folders are added by writes and listed by reads.
    *
    * @param ddl
    *   columns in Spark's notation
    * @param rowType
    *   the same in Hive's
    */
  class Table(val ddl: String, val rowType: String, val zone: String = "UTC") {
    val root: Path = temporaryFolder()
    val conf: Configuration = spark.sessionState.newHadoopConf()
    var dataFolders: Seq[String] = Nil
    var deleteFolders: Seq[String] = Nil
    var evolution = Evolution()
    var checkedFolders: Set[String] = Set.empty
    var writeIds: String = ""
    private var nextWriteId: Long = 1
    private val fs = root.getFileSystem(conf)

    def schema: StructType = StructType.fromDDL(ddl)

    def spec(kind: RowWrites, overrides: SpecChange*): WriteSpec = {
      val plain = WriteSpec(
        writes = kind,
        table = "db.t",
        timeZone = zone,
        layout = Layout("acid_orc", "bucket_%05d", rowType, "ZLIB", Nil, asHive3 = false),
        place =
          Place(root.toString, nextWriteId, 0, overwrites = false, discards = false, OutputJob("", "", Map.empty)),
        buckets = Buckets(Nil, 0, 2, ""),
        spread = Spread(2, 0, 4096, shufflesInserts = true, splitsBuckets = false, keepsBuckets = false),
        required = Nil
      )
      overrides.foldLeft(plain)((spec, change) => change(spec))
    }

    /** Writes all rows as one insert; returns the job's report. */
    def insert(rows: DataFrame, overrides: SpecChange*): WriteResult = {
      val changes = rows.selectExpr(
        "cast(0 as tinyint) as __change",
        "cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>) as __row_id",
        "*"
      )
      val report = run(changes, InsertKind, overrides: _*)
      dataFolders ++= folders(report)
      report
    }

    /** Gives the columns that `assign` names a new value where the condition holds. */
    def update(condition: String, assign: (String, String)*): WriteResult = {
      val values = schema.fieldNames.toSeq.map(c => s"${assign.toMap.getOrElse(c, c)} as $c")
      val columns = Seq("cast(1 as tinyint) as __change", "ROW__ID as __row_id") ++ values
      val report = run(read().where(condition).selectExpr(columns: _*), UpdateKind)
      val (deletes, inserts) = folders(report).partition(_.startsWith("delete_"))
      deleteFolders ++= deletes
      dataFolders ++= inserts
      report
    }

    /** Deletes the rows that meet the condition. */
    def delete(condition: String, overrides: SpecChange*): WriteResult =
      deleteRows(read().where(condition).select("ROW__ID"), overrides: _*)

    /** Deletes the rows whose row IDs are the only column. */
    def deleteRows(rowIds: DataFrame, overrides: SpecChange*): WriteResult = {
      val changes = rowIds.toDF("__row_id").selectExpr("cast(2 as tinyint) as __change", "__row_id")
      val report = run(changes, DeleteKind, overrides: _*)
      deleteFolders ++= folders(report)
      report
    }

    def run(changes: DataFrame, kind: RowWrites, overrides: SpecChange*): WriteResult = {
      val plan = changes.asInstanceOf[org.apache.spark.sql.classic.Dataset[_]].queryExecution.analyzed
      val report = WriteJob.run(spark, plan, spec(kind, overrides: _*))
      nextWriteId += 1
      report
    }

    private def folders(report: WriteResult) = report.folders.map(_.name)

    /** The snapshot of all folders. */
    def read(
        zone: String = zone,
        schema: StructType = schema,
        files: Seq[FileStatusWithMetadata] = this.files()
    ): DataFrame = {
      val relation = HadoopFsRelation(
        new TestIndex(root, files, new FilePruning(schema, _, isFlat = false, readConf, ReadErrors("db.t"))),
        new StructType(),
        schema,
        None,
        new AcidOrcFileFormat("db.t", zone, schema),
        Map.empty
      )(spark)
      spark.baseRelationToDataFrame(relation)
    }

    private def readConf = TableOrcFileFormat.readConf(conf)

    def files(): Seq[FileStatusWithMetadata] = for {
      folder <- dataFolders
      status <- bucketFiles(folder)
    } yield {
      val constants =
        Seq(AcidOrcFileFormat.DeletesKey -> deletes).filter(_ => deleteFolders.nonEmpty) ++
          Seq(AcidOrcFileFormat.DeletesCheckKey -> writeIds).filter(_ => deleteFolders.exists(checkedFolders)) ++
          Seq(AcidOrcFileFormat.CheckKey -> writeIds).filter(_ => checkedFolders(folder)) ++
          Seq(Evolution.Key -> evolution.format)
      FileStatusWithMetadata(status, constants.toMap)
    }

    /** Puts a file in its place that says of itself what `mark` makes of its footer and postscript. Its bytes must not
      * be compressed.
      */
    def markFooter(file: Path)(mark: (OrcProto.Footer.Builder, OrcProto.PostScript.Builder) => Any): Unit = {
      val reader = OrcFile.createReader(file, OrcFile.readerOptions(conf))
      val tail = reader.getFileTail
      reader.close()
      val (footer, script) = (tail.getFooter.toBuilder, tail.getPostscript.toBuilder)
      mark(footer, script)
      val made = footer.build().toByteArray
      val end = script.setFooterLength(made.length.toLong).build().toByteArray
      val old = 1 + tail.getPostscript.getSerializedSize + tail.getPostscript.getFooterLength.toInt
      patch(file)(bytes => bytes.dropRight(old) ++ made ++ end ++ Array(end.length.toByte))
    }

    /** Another file of other bytes in its place. */
    def patch(file: Path)(made: Array[Byte] => Array[Byte]): Unit = {
      val in = fs.open(file)
      val bytes =
        try in.readAllBytes()
        finally in.close()
      val out = fs.create(file, true)
      out.write(made(bytes))
      out.close()
    }

    def path(folder: String, file: String): Path = new Path(new Path(root, folder), file)

    def bucketFiles(folder: String): Seq[FileStatus] =
      fs.listStatus(new Path(root, folder)).toSeq.filter(_.getPath.getName.startsWith("bucket_")).sortBy(_.getPath)

    def listed(folder: String): Seq[ScanFile] = bucketFiles(folder).map { file =>
      ScanFile(file.getPath.getName, file.getLen, file.getModificationTime, bucket = 0, firstRow = None)
    }

    protected def deletes: String = {
      val folders = deleteFolders.map { folder =>
        val path = new Path(root, folder).toString
        DeleteFolder(path, Long.MinValue, Long.MaxValue, anyBucket = true, checkedFolders(folder), listed(folder))
      }
      Wire.write(PartitionDeletes(folders, "stamp"))
    }
  }
}

/** Files that are given, but for those that are left out as a table's own index leaves them; equal to none but itself.
  */
final class TestIndex(root: Path, files: Seq[FileStatusWithMetadata], pruning: Seq[Filter] => FilePruning)
    extends FileIndex {
  override def rootPaths: Seq[Path] = Seq(root)
  override def inputFiles: Array[String] = files.map(_.getPath.toString).toArray
  override def refresh(): Unit = ()
  override def sizeInBytes: Long = files.map(_.getLen).sum
  override def partitionSchema: StructType = new StructType()
  override def listFiles(p: Seq[Expression], d: Seq[Expression]): Seq[PartitionDirectory] =
    Seq(PartitionDirectory(InternalRow.empty, pruning(RowAccess.pushedFilters(d)).survivors(files)))
}
