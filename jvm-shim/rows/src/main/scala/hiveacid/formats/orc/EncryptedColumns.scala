package hiveacid.formats.orc

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import hiveacid.errors.Refusal
import hiveacid.formats.{ReadErrors, ValueUse}
import org.apache.hadoop.fs.Path
import org.apache.orc.{EncryptionVariant, Reader, TypeDescription}

/** A column of a file's row: its name there, the names of its keys, and whether its values are read and not a mask. */
final case class EncryptedColumn(name: String, keys: Seq[String], isReadable: Boolean)

/** The columns of a file that ORC holds encrypted beside a mask, which it gives to those without a key
  * (ReaderEncryption.getVariant).
  */
final class EncryptedColumns(reader: Reader) {
  private val variants = reader.getEncryptionVariants.toSeq
  private val row = FileSchema.rowOf(reader.getSchema)

  /** The columns of these names that are encrypted in whole or in part. */
  def among(names: Seq[String]): Seq[EncryptedColumn] =
    if (variants.isEmpty) Nil
    else
      row.getFieldNames.asScala.toSeq.zip(row.getChildren.asScala).collect {
        case (name, field) if names.contains(name) && variantsOf(field).nonEmpty =>
          val keys = variantsOf(field).map(_.getKeyDescription.getKeyName).distinct
          EncryptedColumn(name, keys, isReadable = leaves(field).forall(isReadable))
      }

  /** Throws HIVE_ACID_UNSUPPORTED_LAYOUT if columns of these names must not be read for that use. */
  def check(names: Seq[String], use: ValueUse, path: Path, errors: ReadErrors): Unit = {
    val found = use match {
      case ValueUse.Shown   => Nil
      case ValueUse.Decides => among(names).filterNot(_.isReadable)
      case _                => among(names)
    }
    if (found.nonEmpty) {
      val columns = found.map(_.name).mkString(", ")
      val refusal =
        if (use == ValueUse.Decides) {
          val keys = found.flatMap(_.keys).distinct.mkString(", ")
          Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.MASKED_COLUMNS", Map("columns" -> columns, "keys" -> keys))
        } else Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.ENCRYPTED_COLUMNS", Map("columns" -> columns))
      throw errors.unsupported(path, refusal)
    }
  }

  /** Whether the column of that number, as the file's schema has it, is encrypted. */
  def holds(column: Int): Boolean =
    variants.exists(variant => variant.getRoot.getId <= column && column <= variant.getRoot.getMaximumId)

  /** The variants that hold the column, a part of it, or what it is a part of. */
  private def variantsOf(field: TypeDescription) = variants.filter { variant =>
    val root = variant.getRoot
    root.getId <= field.getMaximumId && field.getId <= root.getMaximumId
  }

  private def leaves(field: TypeDescription): Seq[TypeDescription] =
    Option(field.getChildren).fold(Seq(field))(_.asScala.toSeq.flatMap(leaves))

  private def isReadable(leaf: TypeDescription): Boolean = {
    val own = variantsOf(leaf)
    own.isEmpty || own.exists(isAvailable)
  }

  /** A provider that cannot be asked gives no key. */
  private def isAvailable(variant: EncryptionVariant): Boolean =
    try variant.getKeyDescription.isAvailable
    catch { case NonFatal(_) => false }
}
