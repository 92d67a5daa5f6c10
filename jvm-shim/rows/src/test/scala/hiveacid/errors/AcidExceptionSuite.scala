package hiveacid.errors

import scala.jdk.CollectionConverters._

/** The fate of the statement is told by the errors whose template has it, and by no others. */
class AcidExceptionSuite extends munit.FunSuite {
  private val parameters = Map("path" -> "/t/$1", "action" -> "reading", "reason" -> "no")
  private val committed = AcidException.outcome("COMMITTED")

  test("an error of a query says that nothing was changed") {
    val error = AcidException("HIVE_ACID_STORAGE", parameters)
    assertEquals(error.getMessageParameters.get("outcome"), AcidException.outcome("QUERY_FAILED"))
    assert(error.getMessage.contains(AcidException.outcome("QUERY_FAILED") + " SQLSTATE: 58030"), error.getMessage)
  }

  test("Python tells what became of a statement that failed in a task, and notes are kept") {
    val failed = AcidException("HIVE_ACID_STORAGE", parameters)
    val noted =
      AcidException.fromPython(
        failed.getMessage + "\nsee there",
        "HIVE_ACID_STORAGE",
        "58030",
        failed.getMessageParameters,
        null
      )
    AcidException.told(new RuntimeException("Job aborted", noted), committed) match {
      case told: AcidException =>
        assertEquals(
          told.getMessage,
          s"[HIVE_ACID_STORAGE] Storage failed at /t/$$1 while reading: no. $committed SQLSTATE: 58030\nsee there"
        )
        assertEquals(told.getMessageParameters.asScala.toMap, parameters + ("outcome" -> committed))
        assertEquals((told.condition, told.getSqlState), ("HIVE_ACID_STORAGE", "58030"))
      case other => fail(s"it is $other")
    }
  }

  test("an error that does not say it stays as it is") {
    val other = AcidException("HIVE_ACID_TABLE_NOT_FOUND", Map("table" -> "t"))
    val sparks = new RuntimeException("division by zero", other)
    assert(AcidException.told(sparks, committed) eq sparks)
  }
}
