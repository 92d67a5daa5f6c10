package hiveacid.errors

import hiveacid.AcidOrcSuite
import hiveacid.values.PartitionValues
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.types.{DateType, StructField, StructType}

/** Errors of the driver tell no path and no value to the event log, as those of tasks. */
final class QuietPathsSuite extends AcidOrcSuite {
  private val path = new Path("/t/who=Martin/000000_0")
  private val table = CatalogTable(
    TableIdentifier("t", Some("d")),
    CatalogTableType.MANAGED,
    CatalogStorageFormat.empty,
    StructType(Seq(StructField("day", DateType))),
    partitionColumnNames = Seq("day")
  )

  private def quiet[T](body: => T): T = {
    spark.sparkContext.setLocalProperty("hiveacid.erasure.quiet", "true")
    try body
    finally spark.sparkContext.setLocalProperty("hiveacid.erasure.quiet", null)
  }

  test("paths are hidden on a thread that has the property, and on no other") {
    assert(!quiet(QuietPaths.show(path)).contains("Martin"))
    assert(!quiet(QuietPaths.showPartition("who=Martin")).contains("Martin"))
    assertEquals(QuietPaths.show(path), path.toString)
  }

  test("the value of a partition that is none of its type is not told") {
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try {
      val e = intercept[AcidException](quiet(PartitionValues(table, "UTC").of("day=Martin")))
      assert(e.getMessage.contains("day") && !e.getMessage.contains("Martin"))
      assertEquals(e.getCause: Any, null)
    } finally spark.conf.unset("spark.sql.ansi.enabled")
  }
}
