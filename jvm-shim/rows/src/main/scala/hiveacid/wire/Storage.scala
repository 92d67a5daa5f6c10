package hiveacid.wire

/** A folder of a tree: its path below the root, empty for the root itself, and name, length and time of change of each
  * file.
  */
final case class ListedFolder(
    path: String,
    names: Array[String],
    lengthsBytes: Array[Long],
    modifiedMs: Array[Long]
)

/** Everything below `root`, spelled as it was asked for: first the root itself, then the folders below it, each behind
  * the one that holds it. Nothing if the root does not exist.
  */
final case class ListedTree(root: String, exists: Boolean, folders: Seq[ListedFolder])

/** A file as it was listed: what has another length or time is another file. Caches know files by it. */
final case class FileVersion(path: String, lengthBytes: Long, modifiedMs: Long)

/** An upload of several parts to a file that is not there yet: path and ID. */
final case class PendingUpload(path: String, id: String)
