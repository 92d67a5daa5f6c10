package hiveacid.formats

import org.apache.spark.sql.types.StructType

/** A reader that is asked for parts of structs, and cuts texts to the length of CHAR and VARCHAR itself. */
trait ReaderOfParts extends TransactionalFileFormat {

  /** The table's columns with CHAR and VARCHAR, which Spark keeps in the metadata of STRING columns and loses where it
    * reads parts of a struct only.
    */
  def columns: StructType

  /** The schema that Spark asks for, maybe with parts of structs only, with that metadata. */
  final protected def withLengths(schema: StructType): StructType = StructType(schema.map { field =>
    columns.find(_.name.equalsIgnoreCase(field.name)).fold(field)(c => field.copy(metadata = c.metadata))
  })
}
