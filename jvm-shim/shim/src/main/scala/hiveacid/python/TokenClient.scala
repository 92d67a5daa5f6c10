package hiveacid.python

import java.net.InetAddress
import java.util.concurrent.TimeUnit
import javax.net.SocketFactory

import py4j.{CallbackClient, Gateway, GatewayServer, Py4JPythonClient, PythonClient}

/** A gateway's way to Python that tells a token at the beginning of each connection.
  *
  * py4j (0.10.9.7 to 0.10.9.9) can do so, but builds such a client only together with a gateway and with that gateway's
  * own token, and its copy for another port, which PySpark asks for when Python begins to listen, has no token.
  */
final class TokenClient private (
    server: GatewayServer,
    port: Int,
    address: InetAddress,
    sockets: SocketFactory,
    readTimeoutMs: Int,
    token: String
) extends PythonClient(
      server.getGateway,
      server.getCustomCommands,
      port,
      address,
      CallbackClient.DEFAULT_MIN_CONNECTION_TIME,
      TimeUnit.SECONDS,
      sockets,
      server,
      true,
      readTimeoutMs,
      token
    ) {
  override def copyWith(otherAddress: InetAddress, otherPort: Int): Py4JPythonClient =
    new TokenClient(server, otherPort, otherAddress, sockets, readTimeoutMs, token)

  private def tells(other: String): Boolean = token == other
}

object TokenClient {

  /** Has the gateway of `server` tell the token on each connection that it opens from now on. Calls that run over
    * another one go on.
    */
  def install(server: GatewayServer, token: String): Unit = server.getCallbackClient match {
    case known: TokenClient if known.tells(token) =>
    case known: PythonClient                      =>
      val sockets = socketFactory.get(known).asInstanceOf[SocketFactory]
      val client = new TokenClient(server, known.getPort, known.getAddress, sockets, known.getReadTimeout, token)
      callbackClient.set(server.getGateway, client)
    case other => throw new IllegalArgumentException(s"not a client with a connection per thread: ${other.getClass}")
  }

  // py4j has no way to say which client a gateway that is there shall have
  private lazy val callbackClient = accessible(classOf[Gateway], "cbClient")
  private lazy val socketFactory = accessible(classOf[CallbackClient], "socketFactory")

  private def accessible(owner: Class[_], name: String) = {
    val field = owner.getDeclaredField(name)
    field.setAccessible(true)
    field
  }
}
