package hiveacid.api

import java.security.PrivilegedExceptionAction
import javax.security.sasl.{Sasl, SaslClient, SaslException}

import org.apache.hadoop.security.UserGroupInformation
import org.ietf.jgss.GSSException

import scala.jdk.CollectionConverters._

/** The client's end of one login by GSSAPI: it answers the server, then protects what is sent over the connection.
  * `first` is its first message. `isByNewTicket`: the ticket cache had a newer ticket than the user.
  */
final class SaslExchange private (
    client: SaslClient,
    user: UserGroupInformation,
    val first: Array[Byte],
    val isByNewTicket: Boolean
) {
  def step(challenge: Array[Byte]): Array[Byte] = SaslExchange.evaluate(client, user, challenge)
  def isComplete: Boolean = client.isComplete

  /** True if each message is wrapped, as integrity and privacy ask for; known once the login is complete. */
  def wraps: Boolean = client.getNegotiatedProperty(Sasl.QOP) != "auth"

  def wrap(data: Array[Byte]): Array[Byte] = client.wrap(data, 0, data.length)
  def unwrap(data: Array[Byte]): Array[Byte] = client.unwrap(data, 0, data.length)
}

object SaslExchange {

  /** Begins a login as the current user. A keytab is asked anew if its ticket is about to end. A ticket cache is read
    * anew if the ticket that was read has ended, for somebody may have put a new one there.
    */
  def begin(service: String, host: String, qop: String): SaslExchange = {
    val login = UserGroupInformation.getLoginUser
    login.checkTGTAndReloginFromKeytab()
    try open(service, host, qop, isByNewTicket = false)
    catch {
      case e: SaslException if lacksTicket(e) =>
        login.reloginFromTicketCache()
        open(service, host, qop, isByNewTicket = true)
    }
  }

  private def open(service: String, host: String, qop: String, isByNewTicket: Boolean): SaslExchange = {
    val user = UserGroupInformation.getCurrentUser
    val properties = Map(Sasl.QOP -> qop, Sasl.SERVER_AUTH -> "true").asJava
    val client = Sasl.createSaslClient(Array("GSSAPI"), null, service, host, properties, null)
    new SaslExchange(client, user, evaluate(client, user, Array.emptyByteArray), isByNewTicket)
  }

  private def lacksTicket(error: SaslException): Boolean = error.getCause match {
    case gss: GSSException => Set(GSSException.NO_CRED, GSSException.CREDENTIALS_EXPIRED).contains(gss.getMajor)
    case _                 => false
  }

  /** The answer to the server's challenge, empty if none is due. */
  private def evaluate(client: SaslClient, user: UserGroupInformation, challenge: Array[Byte]): Array[Byte] = {
    val answer = user.doAs(new PrivilegedExceptionAction[Array[Byte]] {
      override def run(): Array[Byte] = client.evaluateChallenge(challenge)
    })
    Option(answer).getOrElse(Array.emptyByteArray)
  }
}
