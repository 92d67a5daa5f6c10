package hiveacid.metastore;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Lets in the connections of the metastore's owner and of root, and closes all others before a byte of them is read.
 */
public final class Door {
  /** The user ID of the owner. */
  static final String OWNER = "hiveacid.metastore.owner";
  /** Clients know a refusal by it. */
  static final String REFUSAL = "HIVE_ACID_METASTORE_LOGIN.OTHER_USER";

  private static final long ROOT = 0;
  private static final int TOLD_LIMIT = 100;
  private static final Set<Long> TOLD = new HashSet<>();

  private Door() {}

  /** Throws IllegalStateException if nobody has said who the owner is. */
  static long requireOwner() {
    Long owner = Long.getLong(OWNER);
    if (owner == null) {
      throw new IllegalStateException("-D" + OWNER + "=UID is missing");
    }
    return owner;
  }

  /** In place of server.accept(): the next connection of somebody who is let in. */
  public static Socket accept(ServerSocket server) throws IOException {
    long owner = requireOwner();
    while (true) {
      Socket connection = server.accept();
      long user = userOf(connection);
      if (user == owner || user == ROOT) {
        return connection;
      }
      refuse(connection, owner, user);
    }
  }

  private static long userOf(Socket connection) {
    try {
      return Connections.findUser(
          new InetSocketAddress(connection.getInetAddress(), connection.getPort()),
          new InetSocketAddress(connection.getLocalAddress(), connection.getLocalPort()));
    } catch (IOException | RuntimeException failure) { // a user who cannot be known is not let in
      return Connections.UNKNOWN;
    }
  }

  private static void refuse(Socket connection, long owner, long user) {
    String who = user == Connections.UNKNOWN ? "an unknown user" : "user " + user;
    try (connection) {
      if (connection.getClass() == Socket.class) { // one of TLS would wait for the other end
        connection.getOutputStream().write(refusal(owner, who));
      }
    } catch (IOException gone) { // the other end was faster
    }
    if (TOLD.size() < TOLD_LIMIT && TOLD.add(user)) { // once each, so that nobody fills the log
      System.err.println("hive-acid: a connection of " + who + " was refused, and so are later ones");
    }
  }

  /** A Thrift exception, which clients read as the answer to their first call, whatever that is. */
  private static byte[] refusal(long owner, String who) throws IOException {
    String text = "[" + REFUSAL + "] this is the metastore of user " + owner + ", and " + who + " asks.";
    byte[] message = text.getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(0x80010003); // the strict binary protocol; an exception
    out.writeInt(0); // no method's name
    out.writeInt(0); // no number of a call
    out.writeByte(11); // a string
    out.writeShort(1); // the message
    out.writeInt(message.length);
    out.write(message);
    out.writeByte(8); // a number
    out.writeShort(2); // the type
    out.writeInt(6); // an internal error
    out.writeByte(0); // the end
    return bytes.toByteArray();
  }
}
