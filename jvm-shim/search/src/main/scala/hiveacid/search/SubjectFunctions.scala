package hiveacid.search

import java.util.concurrent.ConcurrentHashMap

import org.apache.commons.codec.binary.Hex

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

/** Temporary functions of a session that know the secret and the hashes. Plans and SQL texts show their names, which
  * say nothing.
  *
  * Each takes an array of texts: the parts of a key, or for those that end in `_any` the elements of an array, each of
  * which is a key of one part.
  */
object SubjectFunctions {
  private val Quiet = "quiet"
  private val broadcasts = new ConcurrentHashMap[String, Broadcast[SubjectSet]]

  /** `name(parts)` and `name_any(elements)`: whether a subject is named, BOOLEAN, false for NULL. */
  def registerMembership(
      session: SparkSession,
      name: String,
      secret: Array[Byte],
      hashes: Array[Byte],
      prints: SubjectPrints
  ): Unit = {
    val marks = prints.find(hashes.grouped(KeyedHash.Bytes).map(Hex.encodeHexString(_)))
    // each process holds the hashes once, whatever the number of its tasks
    val subjects = session.sparkContext.broadcast(new SubjectSet(new KeyedHash(secret), hashes, marks))
    broadcasts.put(name, subjects)
    for ((function, byAny) <- Seq(name -> false, s"${name}_any" -> true))
      session.sessionState.functionRegistry.createOrReplaceTempFunction(
        function,
        { case Seq(texts) => NamesSubject(QuietValue(texts, Quiet), function, subjects, byAny) },
        "scala_udf"
      )
  }

  /** The subjects that the membership of this name knows. */
  def subjects(name: String): Broadcast[SubjectSet] = broadcasts.get(name)

  /** `name(value)`: see [[QuietValue]]. */
  def registerQuiet(session: SparkSession, name: String): Unit =
    session.sessionState.functionRegistry.createOrReplaceTempFunction(
      name,
      { case Seq(value) => QuietValue(value, Quiet) },
      "scala_udf"
    )

  /** `name(parts)`: see [[HashOfParts]]. */
  def registerHash(session: SparkSession, name: String, secret: Array[Byte]): Unit = {
    val hash = new KeyedHash(secret)
    session.sessionState.functionRegistry.createOrReplaceTempFunction(
      name,
      { case Seq(parts) => HashOfParts(parts, name, hash) },
      "scala_udf"
    )
  }

  /** Forgets the functions, and with them the secret and the hashes. */
  def drop(session: SparkSession, names: Seq[String]): Unit =
    names.foreach { name =>
      session.sessionState.catalog.dropTempFunction(name, ignoreIfNotExists = true)
      Option(broadcasts.remove(name)).foreach(_.destroy())
    }
}
