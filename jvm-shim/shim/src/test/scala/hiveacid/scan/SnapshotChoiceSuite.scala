package hiveacid.scan

import hiveacid.errors.AcidException

import munit.FunSuite

class SnapshotChoiceSuite extends FunSuite {
  private def refused(body: => Any): String = {
    val error = intercept[AcidException](body)
    assertEquals(error.condition, "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
    error.getMessage
  }

  test("the first scan of an execution decides for the others") {
    val choice = new SnapshotChoice
    val first = choice.ofScan("db.t", key = 5, running = None)
    choice.listed()
    assertEquals(choice.ofScan("db.u", key = 5, running = None), first)
    assertEquals(choice.ofScan("db.u", key = 5, running = Some("begun meanwhile")), first)
  }

  test("a scan of another execution is not of the snapshot in which some have listed their files") {
    val choice = new SnapshotChoice
    choice.ofScan("db.t", key = 5, running = None)
    choice.listed()
    assert(refused(choice.ofScan("db.u", key = 6, running = None)).contains("listed other tables"))
    assert(refused(choice.ofScan("db.u", key = 6, running = Some("other"))).contains("another transaction"))
  }

  test("an execution that has listed nothing leaves the choice to the next one") {
    val choice = new SnapshotChoice
    choice.ofScan("db.t", key = 5, running = None)
    assertEquals(choice.ofScan("db.t", key = 6, running = None).key, 6L)
    choice.ensureExecutable("db.t", key = 7, running = None)
    assertEquals(choice.ofScan("db.t", key = 7, running = None).key, 7L)
  }

  test("rows that are listed are given again, but not in a transaction") {
    val choice = new SnapshotChoice
    choice.ensureExecutable("db.t", key = 5, running = None)
    choice.ofScan("db.t", key = 5, running = None)
    choice.listed()
    choice.ensureExecutable("db.t", key = 6, running = None)
    assert(refused(choice.ensureExecutable("db.t", key = 7, running = Some("other"))).contains("another transaction"))
  }

  test("nothing is read of a transaction that has ended") {
    val choice = new SnapshotChoice
    refused(choice.ofScan("db.t", key = 5, running = Some("ended")))
    refused(choice.ensureRunning("db.t"))
  }

  test("a cache is not filled in a transaction") {
    val choice = new SnapshotChoice
    choice.fillCache()
    val error = intercept[AcidException](choice.ofScan("db.t", key = 5, running = Some("any")))
    assertEquals(error.condition, "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION")
    assertEquals(choice.ofScan("db.t", key = 5, running = None).transaction, None)
  }
}
