package hiveacid.formats

/** A file as it was listed: what has another length or time is another file. Caches know files by it. */
final case class FileVersion(path: String, lengthBytes: Long, modifiedMs: Long)
