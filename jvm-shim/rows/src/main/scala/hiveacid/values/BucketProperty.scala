package hiveacid.values

/** The 32-bit bucket property of a row ID (Hive: ql/io/BucketCodec). Bits 31..29 are the codec version, 27..16 the
  * bucket, 11..0 the statement ID; in version 0 the whole number is the bucket.
  */
object BucketProperty {

  /** Buckets and statement IDs are 0 to 4095, both inclusive. */
  val Limit = 4095

  def encode(bucket: Int, statementId: Int): Int = {
    require(bucket >= 0 && bucket <= Limit, s"bucket $bucket is outside 0..$Limit")
    require(statementId >= 0 && statementId <= Limit, s"statement ID $statementId is outside 0..$Limit")
    1 << 29 | bucket << 16 | statementId
  }

  /** The codec's version: 0 and 1 are known. */
  def versionOf(property: Int): Int = property >>> 29

  /** The bucket of a property; IllegalArgumentException for codec versions other than 0 and 1. */
  def bucketOf(property: Int): Int = versionOf(property) match {
    case 0 => property
    case 1 => property >>> 16 & 0xfff
    case v => throw new IllegalArgumentException(s"bucket property $property has unknown codec version $v")
  }
}
