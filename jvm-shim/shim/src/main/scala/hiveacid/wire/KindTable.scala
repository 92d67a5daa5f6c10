package hiveacid.wire

import java.nio.charset.StandardCharsets

import com.fasterxml.jackson.module.scala.JavaTypeable

/** A table of names, as of kinds of statements, and their properties: a file that Python reads too and explains. */
private[hiveacid] object KindTable {
  def load[T](name: String)(implicit rows: JavaTypeable[Map[String, T]]): Map[String, T] = {
    val stream = getClass.getResourceAsStream(s"/$name")
    try Wire.read[Map[String, T]](new String(stream.readAllBytes, StandardCharsets.UTF_8))
    finally stream.close()
  }
}
