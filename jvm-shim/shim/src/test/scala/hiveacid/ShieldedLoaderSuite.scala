package hiveacid

import java.io.{File, FileOutputStream}
import java.net.{URL, URLClassLoader}
import java.util.jar.{JarEntry, JarOutputStream}

import munit.FunSuite
import org.apache.hadoop.hive.common.JavaUtils
import org.apache.spark.util.MutableURLClassLoader

/** Jars stay open when Hive closes the loaders of a session. */
class ShieldedLoaderSuite extends FunSuite {
  private val file = "shielded.txt"

  private def jars(): MutableURLClassLoader = {
    val jar = File.createTempFile("jar with a blank", ".jar")
    jar.deleteOnExit()
    val packing = new JarOutputStream(new FileOutputStream(jar))
    packing.putNextEntry(new JarEntry(file))
    packing.write('!')
    packing.close()
    new MutableURLClassLoader(Array[URL](jar.toURI.toURL), getClass.getClassLoader)
  }

  private def close(parent: ClassLoader): Unit =
    JavaUtils.closeClassLoadersTo(new URLClassLoader(Array.empty[URL], parent), getClass.getClassLoader)

  test("Hive closes the loader of the jars") {
    val own = jars()
    assert(own.getResource(file) != null)
    close(own)
    assertEquals(own.getResource(file), null)
  }

  test("behind a shield they stay open, and their classes are the same") {
    val own = jars()
    val shielded = new ShieldedLoader(own)
    close(shielded)
    assertEquals(shielded.getResource(file), own.getResource(file))
    assert(shielded.getResource(file) != null)
    assert(shielded.getResources(file).hasMoreElements)
    assert(shielded.loadClass(classOf[FunSuite].getName) eq classOf[FunSuite])
  }

  test("a program that is no server keeps its loader") {
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    val own = jars()
    try {
      thread.setContextClassLoader(own)
      ShieldedLoader.shieldServer()
      assertEquals(thread.getContextClassLoader, own: ClassLoader)
    } finally thread.setContextClassLoader(before)
  }
}
