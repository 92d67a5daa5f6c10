package hiveacid.metastore;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * The users whose connections are open on this machine, as Linux lists them in /proc/net/tcp and tcp6.
 *
 * <p>Both ends of a connection on one machine are in the lists. The user of an end is the one who made its socket.
 */
final class Connections {
  /** Nobody's user ID. */
  static final long UNKNOWN = -1;

  /** A JVM's sockets are of IPv6 mostly, also where they reach an IPv4 address; those of other programs are not. */
  private static final Path[] LISTS = {Path.of("/proc/net/tcp6"), Path.of("/proc/net/tcp")};

  private static final int TRIES = 2; // a list may pass over a row while others come and go
  private static final String ESTABLISHED = "01";
  private static final long ROOT = 0;
  private static final int USER = 7;
  private static final int INODE = 9;

  // Linux goes through all it has room for to make a list, some milliseconds: the likely one is read first
  private static int clientsList = 0;
  private static int serversList = 0;

  private Connections() {}

  /**
   * The user at the client's end of the connection that the server has accepted last, or UNKNOWN. For one thread.
   *
   * <p>What a list says of the client's end counts only if a later look finds the server's end connected: after a
   * reset, the same two addresses may be another user's new connection, of which the server's end has no socket yet.
   * And Linux may show root as the user of a socket that is being closed: root counts only if a later look finds the
   * same socket connected.
   */
  static long findUser(InetSocketAddress client, InetSocketAddress server) throws IOException {
    for (int tried = 0; tried < TRIES; tried++) {
      long[] found = findEnd(client, server, clientsList);
      if (found == null) {
        clientsList = 1 - clientsList;
        found = findEnd(client, server, clientsList);
      }
      if (found != null && isStillThere(found, client, server)) {
        return found[0];
      }
    }
    return UNKNOWN;
  }

  private static boolean isStillThere(long[] found, InetSocketAddress client, InetSocketAddress server)
      throws IOException {
    if (found[0] == ROOT && !Arrays.equals(found, findEnd(client, server, clientsList))) {
      return false;
    }
    if (findEnd(server, client, serversList) == null) {
      serversList = 1 - serversList;
      return findEnd(server, client, serversList) != null;
    }
    return true;
  }

  /** User and inode of the socket at the near end, or null if it is not connected to the far end. */
  private static long[] findEnd(InetSocketAddress near, InetSocketAddress far, int number) throws IOException {
    Path list = LISTS[number];
    boolean isLong = number == 0;
    if (!Files.exists(list) || !isLong && near.getAddress() instanceof Inet6Address) {
      return null; // a machine may be without IPv6
    }
    String wanted = ": " + written(near, isLong) + " " + written(far, isLong) + " " + ESTABLISHED + " ";
    try (BufferedReader rows = Files.newBufferedReader(list, StandardCharsets.US_ASCII)) {
      for (String row = rows.readLine(); row != null; row = rows.readLine()) {
        if (row.contains(wanted)) {
          String[] fields = row.trim().split("\\s+");
          long inode = Long.parseLong(fields[INODE]);
          return inode == 0 ? null : new long[] {Long.parseLong(fields[USER]), inode};
        }
      }
    }
    return null;
  }

  /** An address as the lists have it: each four bytes as a number in this machine's order of bytes. */
  static String written(InetSocketAddress address, boolean isLong) {
    byte[] bytes = address.getAddress().getAddress();
    ByteBuffer words = ByteBuffer.allocate(isLong ? 16 : 4).order(ByteOrder.nativeOrder());
    if (bytes.length < words.capacity()) { // IPv4 within IPv6
      words.position(10);
      words.put((byte) 0xff).put((byte) 0xff);
    }
    words.put(bytes).flip();
    StringBuilder text = new StringBuilder();
    while (words.hasRemaining()) {
      text.append(hexadecimal(words.getInt(), 8));
    }
    return text.append(':').append(hexadecimal(address.getPort(), 4)).toString();
  }

  private static String hexadecimal(int number, int digits) {
    String text = Integer.toHexString(number).toUpperCase(Locale.ROOT);
    return "0".repeat(digits - text.length()) + text;
  }
}
