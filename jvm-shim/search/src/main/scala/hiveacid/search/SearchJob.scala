package hiveacid.search

import scala.collection.mutable
import scala.util.Try

import hiveacid.formats.Evolution
import hiveacid.values.PartitionValues
import hiveacid.wire.{SearchedFile, SearchResult, SearchSpec}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, BoundReference}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** Reads files as they lie on disk, by one Spark job: no snapshot, delete or write ID hides a row. */
object SearchJob {
  private[search] val TasksPerCore = 4

  /** A result for every file. One that is larger than `partBytes` of the spec is read by several tasks. */
  def run(stored: StoredRows, spec: SearchSpec): Seq[SearchResult] = {
    val session = stored.session
    val found = KeyConditions.of(stored, spec.table, spec.conditions)
    val search = fileSearch(session, found, spec)
    val partitionColumns = found.table.partitionSchema.fieldNames.map(_.toLowerCase).toSet
    val needsPartition = found.references.exists(column => partitionColumns(column.name.toLowerCase))
    val files = place(session, found.table, spec.files, needsPartition)
    val parts = files.zipWithIndex.flatMap { case (file, i) => FileParts.of(i, file, spec.partBytes) }
    val shares = share(parts, session.sparkContext.defaultParallelism * TasksPerCore)
    if (shares.isEmpty) Nil
    else {
      val found = session.sparkContext.parallelize(shares, shares.length).mapPartitions(s => search.search(s.flatten))
      val byFile = found.collect().toSeq.groupBy(_.number)
      files.indices.map(i => FileParts.join(byFile(i)))
    }
  }

  private def fileSearch(session: SparkSession, found: KeyConditions, spec: SearchSpec): FileSearch = {
    val t = found.table
    val partitions = t.partitionSchema
    val isPartition = partitions.fieldNames.map(_.toLowerCase).toSet
    val names = found.references.map(_.name.toLowerCase).filterNot(isPartition).toSet
    val required = StructType(t.dataSchema.filter(f => names(f.name.toLowerCase)))
    val ordinals = (required ++ partitions).map(_.name.toLowerCase).zipWithIndex.toMap
    val bound = found.conditions.map(_.transform { case a: AttributeReference =>
      BoundReference(ordinals(a.name.toLowerCase), a.dataType, nullable = true)
    })
    FileSearch(
      bound,
      spec.evolutions.map { told =>
        val evolution = Evolution.of(told)
        Reading(evolution, RowReaders.of(session, found.relation, t, required, evolution.byPosition))
      },
      required,
      partitions.length,
      t.dataSchema,
      session.sessionState.conf.sessionLocalTimeZone,
      new SerializableConfiguration(session.sessionState.newHadoopConf()),
      SubjectValues(
        spec.textKeys.map(SubjectFunctions.subjects),
        spec.numberKeys.map(SubjectFunctions.subjects),
        spec.charLengths
      )
    )
  }

  private def place(
      session: SparkSession,
      t: CatalogTable,
      files: Seq[SearchedFile],
      needsPartition: Boolean
  ): Seq[PlacedFile] = {
    val values = PartitionValues(t, session.sessionState.conf.sessionLocalTimeZone)
    val byName = mutable.Map.empty[String, Either[String, InternalRow]]
    def valuesOf(name: String): Either[String, InternalRow] =
      // a file that belongs to no partition has none of their values, with which a key would name nobody
      if (name.isEmpty && needsPartition) Left("it belongs to no partition, whose values a key needs")
      else if (name.isEmpty) Right(InternalRow.fromSeq(t.partitionSchema.map(_ => null)))
      else if (name.count(_ == '/') + 1 != t.partitionSchema.length) Left("its partition is none of the table")
      else Try(values.of(name)).toEither.left.map(_ => "its partition has no value of the column's type")
    files.map(file => PlacedFile(file, byName.getOrElseUpdate(file.partition, valuesOf(file.partition))))
  }

  /** The parts in so many shares of about the same size, the largest first in each. */
  private def share(parts: Seq[FilePart], count: Int): Seq[Seq[FilePart]] = {
    val shares = Array.fill(math.min(count, parts.length))(mutable.Buffer.empty[FilePart])
    val smallest = mutable.PriorityQueue(shares.indices.map(i => (0L, i)): _*)(Ordering.by(s => (-s._1, -s._2)))
    parts.sortBy(-_.lengthBytes).foreach { part =>
      val (bytes, i) = smallest.dequeue()
      shares(i) += part
      // opening a file costs time, too
      smallest.enqueue((bytes + part.lengthBytes + (1L << 20), i))
    }
    shares.toSeq.map(_.toSeq)
  }
}
