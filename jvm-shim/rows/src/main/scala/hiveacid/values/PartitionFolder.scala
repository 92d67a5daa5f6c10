package hiveacid.values

import hiveacid.errors.AcidException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** The folder `k=v` of a partition column's value, which is given as a text, in Spark's own escaping, which is Hive's
  * (FileUtils.escapePathName). The metastore keeps names as characters: all values that are no UTF-8 would be one of
  * them, and are refused.
  */
case class PartitionFolder(child: Expression, column: String, table: String) extends UnaryExpression {
  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def eval(row: InternalRow): Any = folder(child.eval(row).asInstanceOf[UTF8String])

  /** The value may be null. */
  def folder(value: UTF8String): UTF8String = {
    val text = if (value == null) null else value.toString
    if (text != null && text.indexOf(PartitionFolder.Replacement) >= 0 && UTF8String.fromString(text) != value)
      throw AcidException("HIVE_ACID_UNWRITABLE_VALUE.NOT_UTF_8", Map("table" -> table, "column" -> column))
    UTF8String.fromString(ExternalCatalogUtils.getPartitionPathString(column, text))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(ctx)
    val self = ctx.addReferenceObj("partitionFolder", this)
    val folder = code"""
      ${value.code}
      UTF8String ${ev.value} = $self.folder(${value.isNull} ? null : ${value.value});
    """
    ev.copy(code = folder, isNull = FalseLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): PartitionFolder = copy(child = newChild)
}

object PartitionFolder {

  /** The character that Java reads where bytes are none. */
  val Replacement = '\uFFFD'
}
