package org.apache.spark.sql.hiveacid

import java.io.{InputStream, Reader}

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder, JsonParser, JsonToken, StreamReadConstraints}
import com.fasterxml.jackson.core.exc.StreamConstraintsException
import com.fasterxml.jackson.core.util.JsonParserDelegate

/** Parsers of JSON with limits. */
object SparkLineJson {

  /** @param nameLength
    *   how long names may be, which Jackson does not look at before 2.16
    */
  def factory(limits: StreamReadConstraints.Builder, nameLength: Int): JsonFactory =
    new NameLimitingFactory(new JsonFactoryBuilder().streamReadConstraints(limits.build()), nameLength)
}

private class NameLimitingFactory(builder: JsonFactoryBuilder, nameLength: Int) extends JsonFactory(builder) {
  override def createParser(text: String): JsonParser = limited(super.createParser(text))
  override def createParser(bytes: Array[Byte]): JsonParser = limited(super.createParser(bytes))
  override def createParser(bytes: Array[Byte], from: Int, length: Int): JsonParser =
    limited(super.createParser(bytes, from, length))
  override def createParser(in: InputStream): JsonParser = limited(super.createParser(in))
  override def createParser(in: Reader): JsonParser = limited(super.createParser(in))

  private def limited(parser: JsonParser): JsonParser = parser match {
    case p: NameLimitingParser => p
    case p                     => new NameLimitingParser(p, nameLength)
  }
}

private class NameLimitingParser(parser: JsonParser, nameLength: Int) extends JsonParserDelegate(parser) {
  override def nextToken(): JsonToken = {
    val token = super.nextToken()
    if (token == JsonToken.FIELD_NAME && currentName.length > nameLength)
      throw new StreamConstraintsException(s"a name has ${currentName.length} characters, and $nameLength are the most")
    token
  }
}
