package hiveacid.api

import java.nio.file.{Files, Paths}
import java.security.KeyStore
import java.security.cert.X509Certificate
import java.util.Base64

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.Text
import org.apache.hadoop.security.{SaslRpcServer, UserGroupInformation}

import scala.jdk.CollectionConverters._

/** Python's login to a secured metastore: as the user of this JVM, whose ticket or keytab Hadoop keeps, or by what
  * Hadoop's credential store and Java's trust store hold. Errors are Java's own; Python finds their names.
  */
object MetastoreLogin {
  private val TokenKind = new Text("HIVE_DELEGATION_TOKEN")
  private val ClearText = "hadoop.security.credential.clear-text-fallback"
  private val Authentication = "hadoop.security.authentication"

  /** Makes sure that somebody is logged in: by the keytab if there is one, else by the ticket cache. A JVM whose Hadoop
    * was started without Kerberos is told of it, for `conf` may name it where Hadoop's own files do not.
    */
  def logIn(conf: Configuration, principal: String, keytab: String): Unit = synchronized {
    if (!UserGroupInformation.isSecurityEnabled && conf.get(Authentication, "").equalsIgnoreCase("kerberos"))
      UserGroupInformation.setConfiguration(conf)
    if (UserGroupInformation.isSecurityEnabled && !UserGroupInformation.getLoginUser.hasKerberosCredentials)
      if (keytab.nonEmpty) UserGroupInformation.loginUserFromKeytab(principal, keytab)
      else UserGroupInformation.loginUserFromSubject(null)
  }

  /** False if Hadoop in this JVM knows nothing of Kerberos. */
  def knowsKerberos: Boolean = UserGroupInformation.isSecurityEnabled

  /** True if the user has had a ticket, which may have expired since. */
  def hadTicket: Boolean = UserGroupInformation.getLoginUser.hasKerberosCredentials

  /** The short name of the user, which the metastore has for it too. */
  def userName: String = UserGroupInformation.getCurrentUser.getShortUserName

  /** The user's delegation token for metastores of this signature, as Hadoop spells it; null if there is none. */
  def findToken(signature: String): String = {
    val service = new Text(signature)
    val tokens = UserGroupInformation.getCurrentUser.getTokens.asScala
    tokens.find(t => t.getKind == TokenKind && t.getService == service).fold(null: String)(_.encodeToUrlString)
  }

  /** Begins a login to `service`/`host` by Kerberos. `protections` are words of `hadoop.rpc.protection`, by commas, the
    * one that is liked best first.
    */
  def begin(service: String, host: String, protections: String): SaslExchange = {
    val named = protections.split(",").map(word => SaslRpcServer.QualityOfProtection.valueOf(word.toUpperCase))
    SaslExchange.begin(service, host, named.map(_.getSaslQop).mkString(","))
  }

  /** The password that the credential store has under this name; null if it has none. Settings are not looked at: Spark
    * shows them.
    */
  def findPassword(conf: Configuration, alias: String): String = {
    val stores = new Configuration(conf)
    stores.setBoolean(ClearText, false)
    Option(stores.getPassword(alias)).fold(null: String)(new String(_))
  }

  /** The certificates of a trust store, in the form of PEM. An empty `kind` is Java's own. */
  def exportCertificates(path: String, password: String, kind: String): String = {
    val store = KeyStore.getInstance(if (kind.isEmpty) KeyStore.getDefaultType else kind)
    val in = Files.newInputStream(Paths.get(path))
    try store.load(in, if (password.isEmpty) null else password.toCharArray)
    finally in.close()
    val encoder = Base64.getMimeEncoder(64, Array('\n'.toByte))
    store.aliases.asScala
      .map(store.getCertificate)
      .collect { case certificate: X509Certificate =>
        s"-----BEGIN CERTIFICATE-----\n${encoder.encodeToString(certificate.getEncoded)}\n-----END CERTIFICATE-----\n"
      }
      .mkString
  }
}
