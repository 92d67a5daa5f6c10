package hiveacid.formats

import hiveacid.AcidOrcSuite

class SharedTextSuite extends AcidOrcSuite {
  private val long = "d" * (SharedText.ShortChars + 1)

  test("a text reads the same wherever it is kept, and a long one is sent once") {
    val texts = Seq("", "short", long, s"$long 2", long)
    val shared = SharedText.of(spark.sparkContext, texts)
    assertEquals(shared.map(_.toString), texts)
    assertEquals(shared.take(2), Seq("", "short"))
    assert(shared(2).asInstanceOf[AnyRef] eq shared(4).asInstanceOf[AnyRef], "equal texts are one")
  }

  test("a task gets a long text by a reference") {
    val Seq(text: SharedText) = SharedText.of(spark.sparkContext, Seq(long * 100)): @unchecked
    val bytes = new java.io.ByteArrayOutputStream
    new java.io.ObjectOutputStream(bytes).writeObject(text)
    assert(bytes.size < 2000, s"${bytes.size} bytes")
    assertEquals(
      spark.sparkContext.parallelize(1 to 3, 3).map(_ => text.toString.length).collect().toSet,
      Set(long.length * 100)
    )
  }

  test("what a task fetches is bounded by the size of a group") {
    val each = "x" * (SharedText.GroupChars / 3)
    val groups = SharedText.groups((1 to 10).map(n => each + n))
    assertEquals(groups.map(_.size), Seq(2, 2, 2, 2, 2))
    assertEquals(SharedText.groups(Seq("y" * (SharedText.GroupChars + 1), "z")).map(_.size), Seq(1, 1))
    assertEquals(SharedText.groups(Nil), Nil)
  }
}
