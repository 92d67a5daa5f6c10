package hiveacid.formats.orc

import java.util.Locale

import scala.util.control.NonFatal

import hiveacid.formats.{Evolution, ReadErrors, SideBySide}
import hiveacid.wire.FileVersion
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hive.ql.io.sarg.{PredicateLeaf, SearchArgument}
import org.apache.orc.impl.RecordReaderImpl

import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** Leaves out the files of a scan in which no row can meet its filters, by the statistics of whole files. No task has
  * to open them, or the delete files that concern them.
  *
  * The search arguments are those by which the scan of a file skips its row groups, see [[SearchArguments]]; a file is
  * left out if all of it would be skipped. One that cannot be judged stays, so that errors are told by the scan.
  *
  * @param tableSchema
  *   the table's columns in order, without partition columns
  * @param isFlat
  *   true for an insert-only table, whose files have no ACID columns
  */
final class FilePruning(
    tableSchema: StructType,
    filters: Seq[Filter],
    isFlat: Boolean,
    conf: Configuration,
    errors: ReadErrors
) {
  import FilePruning._

  private val required = {
    val names = filters.flatMap(_.references).map(lower).toSet
    StructType(tableSchema.filter(f => names(lower(f.name))))
  }
  private val canPrune =
    new SearchArguments(required, required.fieldNames.map(lower).toSet, dates = true).build(filters).isDefined

  /** The files that are left. Footers that were never read are read up to a number, and files beyond it stay. */
  def survivors(files: Seq[FileStatusWithMetadata]): Seq[FileStatusWithMetadata] =
    if (!canPrune) files
    else {
      val candidates = files.map(new Candidate(_))
      val (known, unread) = candidates.partition(_.isKnown)
      val (judged, unjudged) = unread.splitAt(MaxReads)
      val kept = SideBySide.map(judged)(c => (c, c.mayHoldRows)).collect { case (c, true) => c }
      val left = (known.filter(_.mayHoldRows) ++ kept ++ unjudged).toSet
      candidates.filter(left).map(_.file)
    }

  final private class Candidate(val file: FileStatusWithMetadata) {
    private val path = file.getPath
    private def constant(key: String) = file.metadata.get(key).map(_.toString)
    private val evolution = constant(Evolution.Key).fold(Evolution())(Evolution.parse)
    private val version = FileVersion(path.toString, file.getLen, file.getModificationTime)
    private val hasIds = !isFlat && !file.metadata.contains(AcidOrcFileFormat.RawKey)

    def isKnown: Boolean = FileStatistics.isKnown(version, evolution.asHive3)

    def mayHoldRows: Boolean =
      try FileStatistics.of(version, evolution.asHive3, conf, errors).forall(s => !isInPlace(s) || mayMeetFilters(s))
      catch { case NonFatal(_) => true }

    /** Whether the scan would read the file without a complaint. */
    private def isInPlace(statistics: FileStatistics): Boolean =
      hasIds == FileSchema.isAcid(statistics.schema) && (!hasIds || {
        val place = constant(AcidOrcFileFormat.WriteIdsKey).map(PlaceCheck.parse(path, _, errors))
        place.foreach(_.checkStatistics(statistics.ofId))
        statistics.ofId(FileSchema.Operation).exists(s => s.getMinimum == 0 && s.getMaximum == 0)
      })

    private def mayMeetFilters(statistics: FileStatistics): Boolean = {
      val schema = FileSchema.resolve(statistics.schema, tableSchema, required, evolution)
      val arguments = new SearchArguments(required, schema.unconverted, dates = !statistics.isHybrid)
      arguments.build(filters).forall(mayMeet(_, statistics))
    }
  }
}

object FilePruning {
  // of footers that are read for one scan before its tasks start
  private val MaxReads = 64

  private def lower(name: String) = name.toLowerCase(Locale.ROOT)

  private def mayMeet(argument: SearchArgument, statistics: FileStatistics): Boolean = {
    val truths = argument.getLeaves.toArray(Array.empty[PredicateLeaf]).map { leaf =>
      statistics
        .ofRow(leaf.getColumnName)
        .fold(SearchArgument.TruthValue.YES_NO_NULL)(RecordReaderImpl.evaluatePredicate(_, leaf, null))
    }
    argument.evaluate(truths).isNeeded
  }
}
