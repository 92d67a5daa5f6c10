package hiveacid.wire

import com.fasterxml.jackson.core.{JsonGenerator, JsonParser}
import com.fasterxml.jackson.databind.{DeserializationContext, SerializerProvider}
import com.fasterxml.jackson.databind.deser.std.StdDeserializer
import com.fasterxml.jackson.databind.ser.std.StdSerializer

/** Writes values that stand in messages by their names. */
class NameWriter[T](form: Class[T], nameOf: T => String) extends StdSerializer[T](form) {
  override def serialize(value: T, out: JsonGenerator, provider: SerializerProvider): Unit =
    out.writeString(nameOf(value))
}

/** Reads what [[NameWriter]] writes.
  *
  * @param all
  *   the values there are; any other name is an error
  */
class NameReader[T](form: Class[T], nameOf: T => String, all: => Seq[T]) extends StdDeserializer[T](form) {
  override def deserialize(in: JsonParser, context: DeserializationContext): T = {
    val name = in.getText
    all.find(nameOf(_) == name).getOrElse {
      throw context.weirdStringException(name, form, s"it is none of ${all.map(nameOf).mkString(", ")}")
    }
  }
}
