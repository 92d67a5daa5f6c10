package hiveacid.commands

/** Locks of a statement are let go once it does not run: it must not begin after that. */
final class OneRunSuite extends munit.FunSuite {

  test("it runs while it runs, also if it fails") {
    val run = new OneRun
    var during = false
    intercept[ArithmeticException](run.run { () =>
      during = run.isRunning
      throw new ArithmeticException
    })
    assert(during && !run.isRunning)
  }

  test("one that was said not to run never begins") {
    val run = new OneRun
    var ran = false
    assert(!run.isRunning)
    intercept[IllegalStateException](run.run(() => ran = true))
    assert(!ran)
  }

  test("it runs once") {
    val run = new OneRun
    var count = 0
    run.run(() => count += 1)
    intercept[IllegalStateException](run.run(() => count += 1))
    assertEquals(count, 1)
  }
}
