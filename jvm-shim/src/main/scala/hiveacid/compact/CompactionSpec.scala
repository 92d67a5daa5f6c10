package hiveacid.compact

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import hiveacid.formats.{Evolution, FileSettings}
import hiveacid.formats.orc.{RawRows, SourceFile}
import hiveacid.write.FileLayout
import org.apache.hadoop.fs.Path

/** A file that is folded into another.
  *
  * @param firstWriteId
  *   least write ID of its folder
  * @param lastWriteId
  *   greatest write ID of its folder, inclusive
  * @param hasDeletes
  *   whether deletes may concern its rows
  * @param isChecked
  *   whether each row's write ID must be looked up in the list
  * @param anyBucket
  *   of a file of deletes: whether there may be events of other buckets in it, which are passed over
  */
final case class FoldedFile(
    path: String,
    bytes: Long,
    firstWriteId: Long,
    lastWriteId: Long,
    hasDeletes: Boolean,
    isChecked: Boolean,
    anyBucket: Boolean,
    raw: Option[RawRows]
) {

  /** Where deletes and write IDs are to be looked up is the compaction's to say. */
  def source(deletes: String, writeIds: String, evolution: Evolution): SourceFile = SourceFile(
    new Path(path),
    start = 0,
    length = bytes,
    fileBytes = bytes,
    deletes = Some(deletes).filter(_ => hasDeletes),
    valid = Some(writeIds).filter(_ => isChecked),
    raw = raw,
    writeIds = Some(s"$firstWriteId,$lastWriteId"),
    evolution = evolution
  )
}

/** A file that a compaction makes.
  *
  * @param bucket
  *   the number in its name; of the first if there are several
  * @param groups
  *   what is folded, in the order of row IDs: all rows of a group come before those of the next. A group is of runs
  *   whose rows interleave, and a run of files that follow each other
  * @param buckets
  *   0, or into how many files the rows are spread evenly, which gives them new row IDs
  */
final case class CompactedFile(
    folder: String,
    bucket: Int,
    holdsDeletes: Boolean,
    groups: Seq[Seq[Seq[FoldedFile]]],
    buckets: Int
)

/** Python's orders for a compaction; see [[CompactionSpec.parse]]. */
final case class CompactionSpec(
    table: String,
    staging: String,
    rowType: String,
    compression: String,
    evolution: Evolution,
    writeIds: String,
    deletes: String,
    layout: FileLayout,
    fileName: String,
    files: Seq[CompactedFile],
    options: Map[String, String] = Map.empty
) {
  def settings: FileSettings = FileSettings(0, rowType, compression, options = options)

  /** The name of a file of this bucket. */
  def nameOf(bucket: Int): String = fileName.format(bucket)
}

object CompactionSpec {

  /** From JSON:
    *   - `table`: its name
    *   - `staging`: URI of an own hidden folder; the result's folders are put there
    *   - `rowType`, `compression`: as of a [[WriteSpec]]
    *   - `evolution`: how files are read that are older than the table's columns, see [[Evolution]]
    *   - `writeIds`: the list that decides which rows count
    *   - `layout`, `fileName`: as of a [[WriteSpec]]
    *   - `options`: see [[FileSettings]]
    *   - `deletes`: what [[Deletes]] is told, as a JSON object
    *   - `files`: those to be made, each with `folder`, `bucket`, `holdsDeletes`, `buckets` and `groups`, a list of
    *     lists of lists of `{"path", "bytes", "first", "last", "deletes", "check", "anyBucket", "raw"}`; `raw` is null
    *     or `[write ID, bucket property, first row ID]`
    */
  def parse(text: String): CompactionSpec = {
    val json = new ObjectMapper().readTree(text)
    CompactionSpec(
      table = json.get("table").asText,
      staging = json.get("staging").asText,
      rowType = json.get("rowType").asText,
      compression = json.get("compression").asText,
      evolution = Evolution.of(json.get("evolution")),
      writeIds = json.get("writeIds").asText,
      deletes = json.get("deletes").toString,
      layout = FileLayout.of(json.get("layout").asText),
      fileName = json.get("fileName").asText,
      files = elements(json.get("files")).map { file =>
        CompactedFile(
          folder = file.get("folder").asText,
          bucket = file.get("bucket").asInt,
          holdsDeletes = file.get("holdsDeletes").asBoolean,
          groups = elements(file.get("groups")).map(group => elements(group).map(run => elements(run).map(folded))),
          buckets = file.get("buckets").asInt
        )
      },
      options = json.get("options").properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
    )
  }

  private def elements(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq

  private def folded(file: JsonNode): FoldedFile = FoldedFile(
    path = file.get("path").asText,
    bytes = file.get("bytes").asLong,
    firstWriteId = file.get("first").asLong,
    lastWriteId = file.get("last").asLong,
    hasDeletes = file.get("deletes").asBoolean,
    isChecked = file.get("check").asBoolean,
    anyBucket = file.get("anyBucket").asBoolean,
    raw = Some(file.get("raw")).filterNot(_.isNull).map { ids =>
      RawRows(ids.get(0).asLong, ids.get(1).asInt, Some(ids.get(2).asLong))
    }
  )
}
