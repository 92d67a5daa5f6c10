package hiveacid.formats.orc

import java.util.concurrent.{Callable, ExecutionException}

import scala.jdk.CollectionConverters._

import com.google.common.cache.{Cache, CacheBuilder}
import com.google.common.util.concurrent.{ExecutionError, UncheckedExecutionException}
import hiveacid.errors.AcidException
import hiveacid.formats.{FileTimes, ReadErrors}
import hiveacid.values.{BucketProperty, ValidWriteIds}
import hiveacid.wire.{DeleteFolder, PartitionDeletes, ScanFile, Wire}
import org.apache.commons.codec.digest.DigestUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{OrcFile, Reader, RecordReader}
import org.roaringbitmap.RoaringBitmap

import org.apache.spark.SparkEnv

/** The deleted row IDs of one bucket of one partition. */
final class DeleteSet {
  import DeleteSet.Key
  private val bitmaps = new java.util.HashMap[Key, RoaringBitmap]

  /** The lower halves of the deleted row IDs whose upper half is `high`, or null. */
  def find(writeId: Long, property: Int, high: Int): RoaringBitmap = bitmaps.get(Key(writeId, property, high))

  def isEmpty: Boolean = bitmaps.isEmpty

  /** Row IDs that were added twice are held once. */
  def bitmapFor(writeId: Long, property: Int, high: Int): RoaringBitmap =
    bitmaps.computeIfAbsent(Key(writeId, property, high), _ => new RoaringBitmap)

  def addAll(other: DeleteSet): Unit = other.bitmaps.forEach { (key, rows) =>
    bitmaps.computeIfAbsent(key, _ => new RoaringBitmap).or(rows)
  }

  def compact(): Unit = bitmaps.values.forEach(b => b.runOptimize())

  override def equals(other: Any): Boolean = other match {
    case d: DeleteSet => d.bitmaps == bitmaps
    case _            => false
  }

  override def hashCode(): Int = bitmaps.hashCode

  def sizeInBytes: Long = bitmaps.values.asScala.map(_.getLongSizeInBytes + 100L).sum
}

object DeleteSet {
  private case class Key(writeId: Long, property: Int, high: Int)
}

/** Where the deletes of a partition are.
  *
  * @param description
  *   the message PartitionDeletes. Its text is also the key of the executor's cache
  * @param writeIds
  *   the list in which events of folders with `check` are looked up; None if there are no such folders
  */
final case class DeletesSource(description: String, writeIds: Option[String] = None) {

  /** The same text for the same deletes. A list of write IDs may be long. */
  lazy val key: String = writeIds.fold(description)(ids => s"$description\n${DigestUtils.sha256Hex(ids)}")
}

/** The deletes that concern a data file, by the bucket of the row; one object per file and thread. */
final class Deletes(source: DeletesSource, conf: Configuration, errors: ReadErrors) {
  private val loaded = new java.util.HashMap[Integer, DeleteSet]

  /** The set for rows whose property names `bucket`; loaded when the first such row is met. */
  def forBucket(bucket: Int): DeleteSet =
    loaded.computeIfAbsent(bucket, b => DeleteCache.get(source.key, b, () => load(b)))

  private def load(bucket: Int): LoadedDeletes = {
    val set = new DeleteSet
    val deletes = Wire.read[PartitionDeletes](source.description)
    val areSettled = deletes.folders.forall(_.files.forall(f => FileTimes.isSettled(f.modifiedMs)))
    val valid = source.writeIds.map(ValidWriteIds.parse)
    for (folder <- deletes.folders; file <- filesOf(folder, bucket)) {
      val path = new Path(folder.path, file.path)
      if (folder.check && valid.isEmpty) throw new IllegalArgumentException(s"no write IDs to check $path with")
      def addTo(to: DeleteSet): Unit =
        readListed(file, placeOf(path, folder, bucket), bucket, valid.filter(_ => folder.check), to)
      // each small statement brings one more: a file is small enough to be kept by itself too, or read for this set
      if (folder.check || file.lengthBytes > DeleteCache.SmallBytes) addTo(set)
      else set.addAll(DeleteCache.get(keyOf(path, file, folder), bucket, () => Deletes.filled(file, addTo)))
    }
    set.compact()
    LoadedDeletes(set, areSettled)
  }

  private def readListed(
      file: ScanFile,
      place: PlaceCheck,
      bucket: Int,
      valid: Option[ValidWriteIds],
      set: DeleteSet
  ): Unit = {
    val path = place.path
    errors.readListed(path, file.lengthBytes, file.modifiedMs, conf, mayGrow = false) {
      errors.guard(path)(read(place, bucket, valid, set))
    }
    // events of another table's file of that name would hide rows, and show others again
    errors.ensureListed(path, file.lengthBytes, file.modifiedMs, conf, mayGrow = false)
  }

  /** All that the events of a file depend on; a description of many files never looks like it. */
  private def keyOf(path: Path, file: ScanFile, folder: DeleteFolder): String =
    s"$path,${file.lengthBytes},${file.modifiedMs},${folder.minWriteId},${folder.maxWriteId},${isForAll(folder)}"

  private def placeOf(path: Path, folder: DeleteFolder, bucket: Int): PlaceCheck =
    PlaceCheck(path, folder.minWriteId, folder.maxWriteId, Some(bucket).filterNot(_ => isForAll(folder)), errors)

  private def filesOf(folder: DeleteFolder, bucket: Int): Seq[ScanFile] =
    if (isOfOneFile(folder)) folder.files
    else folder.files.filter(bucketOf(_) == bucket)

  private def bucketOf(file: ScanFile): Int =
    PlaceCheck.bucketOf(file.path).getOrElse(throw new IllegalArgumentException(s"${file.path} is no bucket file"))

  private def isForAll(folder: DeleteFolder): Boolean = folder.anyBucket || isOfOneFile(folder)

  /** Trino 476 writes the events of all buckets into `bucket_00000`, and no other file, where a table without buckets
    * has files of several (trinodb/trino#15187).
    */
  private def isOfOneFile(folder: DeleteFolder): Boolean = folder.files.length == 1 && bucketOf(folder.files.head) == 0

  private def read(place: PlaceCheck, bucket: Int, valid: Option[ValidWriteIds], set: DeleteSet): Unit = {
    val reader = OrcFile.createReader(place.path, OrcFile.readerOptions(conf))
    try {
      // empty ones are not listed: this one has lost its events since
      if (reader.getFileTail.getFileLength == 0) throw errors.corrupt(place.path, "HIVE_ACID_CORRUPT_FILE.LOST_CONTENT")
      if (reader.getStripes.isEmpty) new DeleteFileCheck(place.path, reader, errors).finish()
      else if (PlaceCheck.bucketOf(place.path.getName).contains(bucket) || mayHoldEvents(reader, bucket))
        readRows(place, reader, bucket, valid, set)
    } finally reader.close()
  }

  /** False if the statistics of another bucket's file say that it has no events of this one. */
  private def mayHoldEvents(reader: Reader, bucket: Int): Boolean =
    PlaceCheck.statistics(reader, FileSchema.Bucket).forall { s =>
      val (least, greatest) = (BucketProperty.bucketOf(s.getMinimum.toInt), BucketProperty.bucketOf(s.getMaximum.toInt))
      least <= bucket && bucket <= greatest
    }

  private def readRows(
      place: PlaceCheck,
      reader: Reader,
      bucket: Int,
      valid: Option[ValidWriteIds],
      set: DeleteSet
  ): Unit = {
    val rows = Deletes.events(place.path, reader, conf, errors)
    try {
      val batch = reader.getSchema.createRowBatch()
      val check = new DeleteFileCheck(place.path, reader, errors)
      val Seq(operation, writeId, property, rowId, current) =
        FileSchema.IdColumns.indices.map(batch.cols(_).asInstanceOf[LongColumnVector])
      def value(v: LongColumnVector, i: Int) = v.vector(if (v.isRepeating) 0 else i)
      // events come in runs of one write ID and property
      var bitmap: RoaringBitmap = null
      var lastWriteId = 0L
      var lastProperty = 0
      var lastHigh = 0
      while (rows.nextBatch(batch)) {
        check.add(batch)
        var i = 0
        while (i < batch.size) {
          if (value(operation, i) != 2) throw Deletes.noDelete(place.path, errors)
          val p = value(property, i).toInt
          place.checkDelete(p, value(current, i))
          // Hive 3.1's minor compaction copies the events of every bucket into every bucket's file
          if (BucketProperty.bucketOf(p) == bucket && valid.forall(_.isValid(value(current, i)))) {
            val w = value(writeId, i)
            val id = value(rowId, i)
            val high = (id >> 32).toInt
            if (bitmap == null || w != lastWriteId || p != lastProperty || high != lastHigh) {
              bitmap = set.bitmapFor(w, p, high)
              lastWriteId = w
              lastProperty = p
              lastHigh = high
            }
            bitmap.add(id.toInt)
          }
          i += 1
        }
      }
      check.finish()
    } finally rows.close()
  }
}

object Deletes {

  private def filled(file: ScanFile, fill: DeleteSet => Unit): LoadedDeletes = {
    val set = new DeleteSet
    val isSettled = FileTimes.isSettled(file.modifiedMs)
    fill(set)
    set.compact()
    LoadedDeletes(set, isSettled)
  }

  /** The events of a file, of which only the ACID columns are read. */
  private[hiveacid] def events(path: Path, reader: Reader, conf: Configuration, errors: ReadErrors): RecordReader = {
    val schema = reader.getSchema
    if (!FileSchema.isAcid(schema))
      throw errors.corrupt(path, "HIVE_ACID_CORRUPT_FILE.SCHEMA", "schema" -> schema.toString)
    PlaceCheck.checkVersion(path, reader, errors)
    val include = new Array[Boolean](schema.getMaximumId + 1)
    include(0) = true
    val columns = FileSchema.IdColumns.indices.map(i => schema.getChildren.get(i).getId)
    columns.foreach(include(_) = true)
    val checked = CheckedDataReader.of(path, reader, columns.toSet, conf)
    reader.rows(reader.options().schema(schema).include(include).dataReader(checked))
  }

  private[hiveacid] def noDelete(path: Path, errors: ReadErrors): AcidException =
    errors.corrupt(path, "HIVE_ACID_CORRUPT_FILE.NO_DELETE")
}

/** A set of deletes, and whether the key that it was loaded by cannot come to mean other files. */
final private[orc] case class LoadedDeletes(set: DeleteSet, areSettled: Boolean)

/** Delete sets of one executor, bounded by their bytes. Loads of one key are shared; a failed load is not kept. */
object DeleteCache {

  /** Setting of the Spark application: the bound, in bytes or with a unit. */
  val BytesKey = "spark.hiveacid.deletes.cacheBytes"

  /** Files up to this length are kept by themselves. */
  private[orc] val SmallBytes = 65536L
  private val DefaultBytes = 268435456L
  private val EntryBytes = 200L // what an entry costs beside its bitmaps and text

  /** @param description
    *   that of the deletes of a partition, or of one small file
    */
  final private case class Key(description: String, bucket: Int)

  private lazy val cache: Cache[Key, DeleteSet] = {
    val bytes = Option(SparkEnv.get).fold(DefaultBytes)(_.conf.getSizeAsBytes(BytesKey, DefaultBytes))
    CacheBuilder
      .newBuilder()
      // one segment: a set may be as large as the whole bound. A larger one is returned, but not kept
      .concurrencyLevel(1)
      // weights are 32-bit numbers, so they are kibibytes
      .maximumWeight(math.max(1L, bytes >> 10))
      .weigher((key: Key, set: DeleteSet) => {
        val size = set.sizeInBytes + key.description.length + EntryBytes
        math.min(Int.MaxValue.toLong, (size >> 10) + 1).toInt
      })
      .build[Key, DeleteSet]()
  }

  private[orc] def get(description: String, bucket: Int, load: () => LoadedDeletes): DeleteSet = {
    val key = Key(description, bucket)
    var result = Option.empty[DeleteSet]
    while (result.isEmpty) {
      var loadedHere = false
      var isKept = true
      val loader: Callable[DeleteSet] = () => {
        loadedHere = true
        val loaded = load()
        isKept = loaded.areSettled
        loaded.set
      }
      try {
        result = Some(cache.get(key, loader))
        if (!isKept) cache.invalidate(key)
      } catch {
        case e @ (_: ExecutionException | _: UncheckedExecutionException | _: ExecutionError) =>
          // another task's load failed, perhaps because that task was cancelled: load it here
          if (loadedHere) throw e.getCause
      }
    }
    result.get
  }
}
