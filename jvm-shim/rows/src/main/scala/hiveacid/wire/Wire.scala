package hiveacid.wire

import com.fasterxml.jackson.databind.{DeserializationFeature, MapperFeature}
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.module.SimpleModule
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
    .addModule(rowWrites)
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

  private def rowWrites: SimpleModule = {
    val form = classOf[RowWrites]
    new SimpleModule(form.getSimpleName)
      .addSerializer(form, new NameWriter[RowWrites](form, _.name))
      .addDeserializer(form, new NameReader[RowWrites](form, _.name, RowWrites.all))
  }
}
