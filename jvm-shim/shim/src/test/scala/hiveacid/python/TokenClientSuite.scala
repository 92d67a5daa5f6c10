package hiveacid.python

import java.io.{BufferedReader, InputStreamReader}
import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.CompletableFuture

import py4j.{ClientServer, GatewayServer}

class TokenClientSuite extends munit.FunSuite {
  private val loopback = InetAddress.getLoopbackAddress

  /** The first lines that Python hears from a gateway with a token of its own, once it listens at another port. */
  private def heard(prepare: GatewayServer => Unit): Seq[String] = {
    val gateway = new ClientServer.ClientServerBuilder(null).authToken("own").javaPort(0).javaAddress(loopback).build()
    val python = new ServerSocket(0, 1, loopback)
    try {
      val server = gateway.getJavaServer.asInstanceOf[GatewayServer]
      prepare(server)
      server.resetCallbackClient(loopback, python.getLocalPort)
      CompletableFuture.runAsync(() => server.getCallbackClient.sendCommand("c\n"): Unit)
      val connection = python.accept()
      val reader = new BufferedReader(new InputStreamReader(connection.getInputStream))
      val first = reader.readLine()
      if (first != "A") Seq(first)
      else {
        val told = Seq(first, reader.readLine(), reader.readLine())
        connection.getOutputStream.write("!yv\n".getBytes)
        told :+ reader.readLine()
      }
    } finally {
      python.close()
      gateway.shutdown()
    }
  }

  test("py4j tells nothing once Python listens elsewhere") {
    assertEquals(heard(_ => ()), Seq("c"))
  }

  test("the token is told wherever Python listens, however often it is set") {
    val told = Seq("A", "a token", "e", "c")
    assertEquals(heard(TokenClient.install(_, "a token")), told)
    assertEquals(
      heard { server =>
        TokenClient.install(server, "another")
        TokenClient.install(server, "a token")
        server.resetCallbackClient(loopback, 1)
        val client = server.getCallbackClient
        TokenClient.install(server, "a token")
        assert(server.getCallbackClient eq client)
      },
      told
    )
  }
}
