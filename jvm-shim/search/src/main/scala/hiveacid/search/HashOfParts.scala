package hiveacid.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{BinaryType, DataType}

/** The keyed hash of an array of texts, the parts of a key; NULL if one of them is NULL, [[KeyedHash.Ambiguous]] if one
  * may be another person's as well.
  *
  * @param name
  *   the only thing of it that is shown
  */
case class HashOfParts(child: Expression, name: String, hash: KeyedHash) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = BinaryType
  override def nullable: Boolean = true
  override def prettyName: String = name

  override def eval(row: InternalRow): Any = {
    val texts = child.eval(row).asInstanceOf[ArrayData]
    if (texts == null) null
    else if (KeyedHash.isAmbiguous(texts)) KeyedHash.Ambiguous
    else hash.of(texts, 0, texts.numElements())
  }

  override def toString: String = s"$name($child)"
  override def sql: String = s"$name(${child.sql})"
  override protected def withNewChildInternal(newChild: Expression): HashOfParts = copy(child = newChild)
}
