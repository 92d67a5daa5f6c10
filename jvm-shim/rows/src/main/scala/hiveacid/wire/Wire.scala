package hiveacid.wire

import com.fasterxml.jackson.core.{JsonGenerator, JsonParser}
import com.fasterxml.jackson.databind.{
  DeserializationContext,
  DeserializationFeature,
  MapperFeature,
  SerializerProvider
}
import com.fasterxml.jackson.databind.deser.std.StdDeserializer
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.module.SimpleModule
import com.fasterxml.jackson.databind.ser.std.StdSerializer
import com.fasterxml.jackson.module.scala.{ClassTagExtensions, DefaultScalaModule, JavaTypeable}
import hiveacid.values.RowWrites

/** Messages as JSON: case classes here, frozen dataclasses of the same names and fields in Python (`hive_acid.wire`).
  * Every key is always there, null stands for None, and a key that the reader does not know is an error, as is one that
  * is missing or has a value of another type.
  */
object Wire {
  private val mapper = JsonMapper
    .builder()
    .addModule(DefaultScalaModule)
    .addModule(named(classOf[StatementKind])(_.name, StatementKind.all))
    .addModule(named(classOf[DdlKind])(_.name, DdlKind.all))
    .addModule(named(classOf[RowWrites])(_.name, RowWrites.all))
    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
    .build() :: ClassTagExtensions

  /** The JSON of a message, or of a collection, option or scalar of messages. */
  def write(message: Any): String = mapper.writeValueAsString(message)

  /** @throws com.fasterxml.jackson.core.JacksonException
    *   for a text that is not the message it should be: the two halves are not of one version
    */
  def read[T: JavaTypeable](text: String): T = mapper.readValue[T](text)

  private def named[T](form: Class[T])(nameOf: T => String, all: => Seq[T]): SimpleModule = {
    val writes = new StdSerializer[T](form) {
      override def serialize(value: T, out: JsonGenerator, provider: SerializerProvider): Unit =
        out.writeString(nameOf(value))
    }
    val reads = new StdDeserializer[T](form) {
      override def deserialize(in: JsonParser, context: DeserializationContext): T = {
        val name = in.getText
        all.find(nameOf(_) == name).getOrElse {
          throw context.weirdStringException(name, form, s"it is none of ${all.map(nameOf).mkString(", ")}")
        }
      }
    }
    new SimpleModule(form.getSimpleName).addSerializer(form, writes).addDeserializer(form, reads)
  }
}
