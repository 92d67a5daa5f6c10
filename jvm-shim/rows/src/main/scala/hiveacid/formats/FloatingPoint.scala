package hiveacid.formats

import org.apache.spark.sql.sources._

/** Numbers that the statistics and dictionaries of files tell apart, and SQL does not: -0.0 and 0.0. NaN is greater
  * than all others in Spark alone.
  */
object FloatingPoint {

  /** False for zero and NaN. */
  def isOrdinary(number: Double): Boolean = number != 0.0 && !number.isNaN

  /** True for a filter that compares something with a FLOAT or DOUBLE that is not ordinary. */
  def isCompared(filter: Filter): Boolean = filter match {
    case And(a, b)            => isCompared(a) || isCompared(b)
    case Or(a, b)             => isCompared(a) || isCompared(b)
    case Not(a)               => isCompared(a)
    case In(_, values)        => values.exists(isSpecial)
    case Comparison(_, value) => isSpecial(value)
    case _                    => false
  }

  private def isSpecial(value: Any): Boolean = value match {
    case f: Float  => !isOrdinary(f.toDouble)
    case d: Double => !isOrdinary(d)
    case _         => false
  }
}

/** A comparison of a column with a literal. */
object Comparison {
  def unapply(filter: Filter): Option[(String, Any)] = filter match {
    case EqualTo(name, v)            => Some((name, v))
    case EqualNullSafe(name, v)      => Some((name, v))
    case LessThan(name, v)           => Some((name, v))
    case LessThanOrEqual(name, v)    => Some((name, v))
    case GreaterThan(name, v)        => Some((name, v))
    case GreaterThanOrEqual(name, v) => Some((name, v))
    case _                           => None
  }
}
