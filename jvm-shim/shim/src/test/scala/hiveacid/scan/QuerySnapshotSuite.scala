package hiveacid.scan

import hiveacid.errors.AcidException

import munit.FunSuite

class QuerySnapshotSuite extends FunSuite {
  private def refused(body: => Any): String = {
    val error = intercept[AcidException](body)
    assertEquals(error.condition, "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
    error.getMessage
  }

  test("the first scan of an execution decides for the others") {
    val query = QuerySnapshot.fresh()
    val first = query.ofScan("db.t", ReadSnapshot(5, None))
    query.listed()
    assertEquals(query.ofScan("db.u", ReadSnapshot(5, None)), first)
    assertEquals(query.ofScan("db.u", ReadSnapshot(5, Some("begun meanwhile"))), first)
  }

  test("a scan of another execution is not of the snapshot in which some have listed their files") {
    val query = QuerySnapshot.fresh()
    query.ofScan("db.t", ReadSnapshot(5, None))
    query.listed()
    assert(refused(query.ofScan("db.u", ReadSnapshot(6, None))).contains("listed other tables"))
    assert(refused(query.ofScan("db.u", ReadSnapshot(6, Some("other")))).contains("another transaction"))
  }

  test("an execution that has listed nothing leaves the choice to the next one") {
    val query = QuerySnapshot.fresh()
    query.ofScan("db.t", ReadSnapshot(5, None))
    assertEquals(query.ofScan("db.t", ReadSnapshot(6, None)).key, 6L)
    query.ensureExecutable("db.t", ReadSnapshot(7, None))
    assertEquals(query.ofScan("db.t", ReadSnapshot(7, None)).key, 7L)
  }

  test("rows that are listed are given again, but not in a transaction") {
    val query = QuerySnapshot.fresh()
    query.ensureExecutable("db.t", ReadSnapshot(5, None))
    query.ofScan("db.t", ReadSnapshot(5, None))
    query.listed()
    query.ensureExecutable("db.t", ReadSnapshot(6, None))
    assert(refused(query.ensureExecutable("db.t", ReadSnapshot(7, Some("other")))).contains("another transaction"))
  }

  test("nothing is read of a transaction that has ended") {
    val query = QuerySnapshot.fresh()
    refused(query.ofScan("db.t", ReadSnapshot(5, Some("ended"))))
    refused(query.ensureRunning("db.t"))
  }

  test("a cache is not filled in a transaction") {
    val query = QuerySnapshot.fresh()
    query.fillCache()
    val error = intercept[AcidException](query.ofScan("db.t", ReadSnapshot(5, Some("any"))))
    assertEquals(error.condition, "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION")
    assertEquals(query.ofScan("db.t", ReadSnapshot(5, None)).transaction, None)
  }
}
