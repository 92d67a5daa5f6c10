package hiveacid.errors

import java.io.StringWriter

import hiveacid.AcidOrcSuite
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.LoggerContext
import org.apache.logging.log4j.core.appender.WriterAppender
import org.slf4j.LoggerFactory

/** Logs tell no row of an erasure's queries. */
final class QuietLogsSuite extends AcidOrcSuite {
  private val serde = "org.apache.hadoop.hive.serde2.RegexSerDe"

  private def logged(logger: String, isQuiet: Boolean): String = {
    val (written, context) = (new StringWriter, LogManager.getContext(false).asInstanceOf[LoggerContext])
    val appender = WriterAppender.createAppender(null, null, written, "quiet", false, false)
    appender.start()
    val root = context.getConfiguration.getRootLogger
    root.addAppender(appender, Level.WARN, null)
    spark.sparkContext.setLocalProperty("hiveacid.erasure.quiet", if (isQuiet) "true" else null)
    try {
      assert(QuietLogs.install())
      LoggerFactory.getLogger(logger).error("1 unmatched rows are found: Martin")
    } finally {
      spark.sparkContext.setLocalProperty("hiveacid.erasure.quiet", null)
      root.removeAppender("quiet")
    }
    written.toString
  }

  test("records of programs that read rows and files are left out on a thread of an erasure, and on no other") {
    val readers = Seq(serde, "org.apache.spark.sql.catalyst.csv.CSVHeaderChecker", "org.openx.data.jsonserde.JsonSerDe")
    for (logger <- readers) {
      assertEquals(logged(logger, isQuiet = true), "")
      assert(logged(logger, isQuiet = false).contains("Martin"), clue(logger))
    }
    for (logger <- Seq("hiveacid.write.WriteJob", "org.apache.spark.scheduler.TaskSetManager"))
      assert(logged(logger, isQuiet = true).contains("Martin"), clue(logger))
  }

  test("they still are once the logs were configured anew") {
    assertEquals(logged(serde, isQuiet = true), "")
    LogManager.getContext(false).asInstanceOf[LoggerContext].reconfigure()
    assertEquals(logged(serde, isQuiet = true), "")
  }
}
