package hiveacid.search

import munit.FunSuite

class KeyTypesSuite extends FunSuite {
  test("a type of which Java makes texts says which Java does") {
    assertEquals(KeyTypes.byJava("float", 17), "float")
    assertEquals(KeyTypes.byJava("array<double>", 21), "array<double> by Java 19")
    assertEquals(KeyTypes.byJava("double by Java 19", 25), "double by Java 19")
  }
}
