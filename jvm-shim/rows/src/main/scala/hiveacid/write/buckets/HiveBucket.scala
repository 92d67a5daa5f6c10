package hiveacid.write.buckets

import org.apache.orc.TypeDescription

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType}

/** The bucket in which Hive puts a row, and looks for it (ObjectInspectorUtils.getBucketNumber).
  *
  * @param children
  *   the values of the bucketing columns, in the order of CLUSTERED BY
  * @param types
  *   their types in the file, which are Hive's
  * @param version
  *   of the hash, 1 or 2
  * @param buckets
  *   how many there are, from 1
  * @param zones
  *   in which a TIMESTAMP is hashed
  */
final case class HiveBucket(
    children: Seq[Expression],
    types: Seq[String],
    version: Int,
    buckets: Int,
    zones: HashZones
) extends Expression {

  override def nullable: Boolean = false
  override def dataType: DataType = IntegerType
  override def prettyName: String = "hive_bucket"
  override def stateful: Boolean = true // a hash of timestamps remembers the last offset

  private def hashes: Seq[HiveHash] =
    children.zip(types).map { case (child, to) =>
      HiveHash(child.dataType, TypeDescription.fromString(to), version, zones)
    }

  @transient private lazy val evaluated = children.zip(hashes).toArray

  override def eval(row: InternalRow): Any = {
    val hash = evaluated.foldLeft(0) { case (before, (child, hash)) =>
      val value = child.eval(row)
      31 * before + (if (value == null) 0 else hash.of(value))
    }
    (hash & Int.MaxValue) % buckets
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val hash = ctx.freshName("hash")
    val steps = children.zip(hashes).map { case (child, field) =>
      val value = child.genCode(ctx)
      val reference = ctx.addReferenceObj("fieldHash", field, classOf[HiveHash].getName)
      val boxed = s"(${CodeGenerator.boxedType(child.dataType)}) ${value.value}"
      code"""
        ${value.code}
        $hash = 31 * $hash + (${value.isNull} ? 0 : $reference.of($boxed));"""
    }
    val all = steps.foldLeft(code"int $hash = 0;")(_ + _)
    val bucket = code"final int ${ev.value} = ($hash & Integer.MAX_VALUE) % $buckets;"
    ev.copy(code = all + bucket, isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): HiveBucket =
    copy(children = newChildren)
}
