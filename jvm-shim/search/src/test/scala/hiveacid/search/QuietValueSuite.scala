package hiveacid.search

import hiveacid.errors.AcidException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Add,
  BoundReference,
  Cast,
  EvalMode,
  Expression,
  GenericInternalRow,
  Literal
}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** The error of a key tells no value, for whatever it fails. */
final class QuietValueSuite extends munit.FunSuite {
  private val name = BoundReference(0, StringType, nullable = true)
  private val number = Cast(name, IntegerType, Some("UTC"), EvalMode.ANSI)

  private def quiet(value: Expression) = QuietValue(value, "quiet")

  private def row(text: String) = new GenericInternalRow(Array[Any](UTF8String.fromString(text)))

  private val ways: Map[String, (Seq[Expression], InternalRow) => Seq[Any]] = Map(
    "interpreted" -> ((values, row) => values.map(_.eval(row): Any)),
    "generated" -> ((values, row) => {
      val found = GenerateUnsafeProjection.generate(values, subexpressionEliminationEnabled = true)(row)
      values.zipWithIndex.map { case (value, i) => found.get(i, value.dataType) }
    })
  )

  for ((way, compute) <- ways) {
    test(s"a value is what it is, $way") {
      assertEquals(compute(Seq(quiet(number), quiet(name)), row("7")), Seq[Any](7, UTF8String.fromString("7")))
      assertEquals(compute(Seq(quiet(number)), row(null)), Seq[Any](null))
    }

    test(s"the error of one tells its condition alone, $way") {
      for (values <- Seq(Seq(number), Seq(Add(number, Literal(1))), Seq(quiet(number)))) {
        val e = intercept[AcidException](compute(values.map(quiet), row("Martin King")))
        assertEquals(e.condition, "HIVE_ACID_ERASURE.KEY_NOT_COMPUTED")
        assert(e.getMessage.contains("CAST_INVALID_INPUT") && !e.getMessage.contains("Martin"))
        assertEquals(e.getCause: Any, null)
      }
    }

    test(s"what two have in common is not computed ahead of them, $way") {
      val both = Seq(Add(number, Literal(1)), Add(number, Literal(2)))
      val e = intercept[Throwable](compute(both.map(quiet), row("Martin King")))
      assert(Iterator.iterate(e)(_.getCause).takeWhile(_ != null).forall(!_.toString.contains("Martin")))
    }
  }
}
