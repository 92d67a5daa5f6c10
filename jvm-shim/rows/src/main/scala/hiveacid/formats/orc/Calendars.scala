package hiveacid.formats.orc

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf

/** The calendar of the dates and timestamps in files whose footer names none, as Hive of the metastore's line takes
  * them. A named calendar always counts.
  *
  *   - Hive 4 takes them for the hybrid of Julian and Gregorian (`orc.proleptic.gregorian.default`, seen with 4.1.0):
  *     the day that a proleptic reader shows as 1012-02-27 is 1012-02-21.
  *   - Hive 3.1 knows no other calendar than the proleptic one (seen with 3.1.3).
  */
private[hiveacid] object Calendars {

  /** That of Hive 4, for all files. */
  def setDefault(conf: Configuration): Unit = OrcConf.PROLEPTIC_GREGORIAN_DEFAULT.setBoolean(conf, false)

  /** The configuration to open a file with. */
  def readConf(conf: Configuration, asHive3: Boolean): Configuration =
    if (!asHive3) conf
    else {
      val own = new Configuration(conf)
      OrcConf.PROLEPTIC_GREGORIAN_DEFAULT.setBoolean(own, true)
      own
    }
}
