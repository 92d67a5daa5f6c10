package org.apache.spark.sql.hiveacid

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder, StreamReadConstraints}

/** Parsers of JSON with limits. */
object SparkLineJson {

  /** @param nameLength
    *   how long names may be, which Jackson itself looks at since 2.16
    */
  def factory(limits: StreamReadConstraints.Builder, nameLength: Int): JsonFactory =
    new JsonFactoryBuilder().streamReadConstraints(limits.maxNameLength(nameLength).build()).build()
}
