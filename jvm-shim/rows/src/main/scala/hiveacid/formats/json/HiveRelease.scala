package hiveacid.formats.json

/** The release whose JsonSerDe decides what a line means. They agree on most of what they write themselves, and else on
  * little.
  */
sealed trait HiveRelease

object HiveRelease {

  /** 3.1 (seen with 3.1.3): values must be of the column's kind. */
  case object Of31 extends HiveRelease

  /** 4.0 (seen with 4.0.1): values are converted to the column's type, and numbers with a fraction are DOUBLEs before.
    */
  case object Of40 extends HiveRelease

  /** 4.1 and later (seen with 4.1.0 and 4.2.0): the same with exact numbers. */
  case object Of41 extends HiveRelease

  /** The release by the name that Python gives it. */
  def of(name: String): HiveRelease = name match {
    case "3.1" => Of31
    case "4.0" => Of40
    case "4.1" => Of41
    case other => throw new IllegalArgumentException(s"Unknown release of Hive: $other")
  }
}
