package hiveacid.analysis

import java.util.Locale

import hiveacid.scan.AcidRelation
import org.apache.hadoop.fs.{FileSystem, Path}

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LoadData, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession

/** `LOAD DATA` into a transactional table, as the INSERT of the rows of files in the table's format. The files stay:
  * where they lie no transaction could bring them back after its rows are gone.
  */
object LoadFiles {

  /** The INSERT, whose columns are matched by position as those of any other one. */
  def insert(session: SparkSession, table: CatalogTable, l: LoadData): LogicalPlan = {
    AcidRelation.refuseUnwritable("LOAD DATA", table)
    val format = AcidRelation.formatOf("LOAD DATA", table).word.toLowerCase(Locale.ROOT)
    InsertIntoStatement(
      UnresolvedRelation(table.identifier.nameParts),
      l.partition.fold(Map.empty[String, Option[String]])(_.map { case (key, value) => key -> Option(value) }),
      Nil,
      rows(session, format, place(session, l)),
      overwrite = l.isOverwrite,
      ifPartitionNotExists = false
    )
  }

  /** With the columns of all files: a file that lacks those of another one would be read as NULLs. */
  private def rows(session: SparkSession, format: String, place: Path) =
    session.read.format(format).option("mergeSchema", "true").load(place.toString).queryExecution.analyzed

  private def place(session: SparkSession, l: LoadData): Path = {
    val path = new Path(l.path)
    val conf = session.sessionState.newHadoopConf()
    val files = if (l.isLocal) FileSystem.getLocal(conf) else path.getFileSystem(conf)
    files.makeQualified(path)
  }
}
