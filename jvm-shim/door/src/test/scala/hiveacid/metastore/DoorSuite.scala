package hiveacid.metastore

import java.io.IOException
import java.lang.reflect.InvocationTargetException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.file.{Files, Path}

/** The door lets in its owner, and a class is made to have one. */
class DoorSuite extends munit.FunSuite {
  private val thriftsServerSocket = "org.apache.thrift.transport.TServerSocket"
  private lazy val self = Files.getAttribute(Path.of("/proc/self"), "unix:uid").asInstanceOf[Int].toLong

  override def munitIgnore: Boolean = !Files.exists(Path.of("/proc/net/tcp"))

  private def read(name: String): Array[Byte] = {
    val found = getClass.getClassLoader.getResourceAsStream(name.replace('.', '/') + ".class")
    try found.readAllBytes()
    finally found.close()
  }

  private def withServer[T](body: ServerSocket => T): T = {
    val server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))
    try body(server)
    finally server.close()
  }

  private def connect(server: ServerSocket) = new Socket(server.getInetAddress, server.getLocalPort)

  private def user(accepted: Socket) = Connections.findUser(
    new InetSocketAddress(accepted.getInetAddress, accepted.getPort),
    new InetSocketAddress(accepted.getLocalAddress, accepted.getLocalPort)
  )

  private def withOwner[T](owner: Long)(body: => T): T = {
    System.setProperty(Door.OWNER, owner.toString)
    try body
    finally System.clearProperty(Door.OWNER)
  }

  test("an address is written as Linux writes it on this machine") {
    val address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 9083)
    val isLittle = java.nio.ByteOrder.nativeOrder == java.nio.ByteOrder.LITTLE_ENDIAN
    val (short, middle) = if (isLittle) ("0100007F", "FFFF0000") else ("7F000001", "0000FFFF")
    assertEquals(Connections.written(address, false), s"$short:237B")
    assertEquals(Connections.written(address, true), s"${"0" * 16}$middle$short:237B")
  }

  test("the user of an open connection is known") {
    withServer { server =>
      val client = connect(server)
      val accepted = server.accept()
      assertEquals(user(accepted), self)
      client.close()
      accepted.close()
    }
  }

  test("a connection whose other end is closed, in order or by a reset, belongs to nobody, whoever made it") {
    withServer { server =>
      Seq(false, true).foreach { isReset =>
        val client = connect(server)
        client.getOutputStream.write(1)
        client.setSoLinger(isReset, 0)
        client.close()
        val accepted = server.accept()
        assertEquals(user(accepted), Connections.UNKNOWN)
        accepted.close()
      }
    }
  }

  test("addresses between which there is no connection belong to nobody") {
    val nowhere = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 1)
    assertEquals(Connections.findUser(nowhere, nowhere), Connections.UNKNOWN)
    val ofIpv6 = new InetSocketAddress(InetAddress.getByName("::1"), 1)
    assertEquals(Connections.findUser(ofIpv6, ofIpv6), Connections.UNKNOWN)
  }

  test("a class that accepts at one place lets in whom the door lets in, and nobody before the owner is named") {
    val accepts = new Changed(classOf[AcceptsOnce].getName).define()
    val instance = accepts.getConstructor().newInstance()
    val method = accepts.getMethod("accepted", classOf[ServerSocket])
    withServer { server =>
      val client = connect(server)
      val failure = intercept[InvocationTargetException](method.invoke(instance, server))
      assert(failure.getCause.isInstanceOf[IllegalStateException], failure.getCause)
      val accepted = withOwner(self)(method.invoke(instance, server)).asInstanceOf[Socket]
      assertEquals(accepted.getPort, client.getLocalPort)
      accepted.close()
      client.close()
    }
  }

  test("who is refused reads why, and the next one comes in") {
    assume(self != 0, "root is let in everywhere")
    withServer { server =>
      val refused = connect(server)
      val waiting = new Thread(() =>
        withOwner(self + 1)(
          try Door.accept(server)
          catch { case _: IOException => }
        )
      )
      waiting.start()
      val answer = new String(refused.getInputStream.readAllBytes(), "US-ASCII")
      assert(
        answer.contains(s"[${Door.REFUSAL}] this is the metastore of user ${self + 1}, and user $self asks."),
        answer
      )
      server.close()
      waiting.join()
    }
  }

  test("Thrift's server socket, as this Spark has it, is still a class once its call is led to the door") {
    val original = Class.forName(thriftsServerSocket)
    val changed = new Changed(thriftsServerSocket).define()
    assertEquals(changed.getMethods.map(_.getName).sorted.toSeq, original.getMethods.map(_.getName).sorted.toSeq)
  }

  test("a class that accepts at two places, or at none, is refused") {
    Seq(classOf[AcceptsTwice], classOf[String]).foreach { unfit =>
      intercept[IOException](AcceptCall.leadToDoor(read(unfit.getName)))
    }
  }

  /** The loader of a class whose call is led to the door. */
  private class Changed(name: String) extends ClassLoader(getClass.getClassLoader) {
    def define(): Class[_] = {
      val file = AcceptCall.leadToDoor(read(name))
      defineClass(name, file, 0, file.length)
    }
  }
}

class AcceptsOnce {
  def accepted(server: ServerSocket): Socket = server.accept()
}

class AcceptsTwice {
  def accepted(server: ServerSocket): Seq[Socket] = Seq(server.accept(), server.accept())
}
