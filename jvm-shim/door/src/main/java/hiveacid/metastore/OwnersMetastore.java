package hiveacid.metastore;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;

/**
 * Starts Hive's metastore, of any release, so that it takes connections of its owner and of root alone (see Door).
 *
 * <p>Hive makes its server sockets itself and has no setting for who accepts. Thrift's TServerSocket calls
 * ServerSocket.accept at one place, through which plain and TLS connections come in each release. Its class is defined
 * here, before Hive needs it, with that one call led to Door.accept. Where this cannot be done, nothing is started.
 *
 * <p>This package is no part of the shim. It runs in the metastore's process and knows the JDK alone: neither Spark nor
 * Scala's library is there.
 */
public final class OwnersMetastore {
  private static final String TRANSPORT = "org.apache.thrift.transport.";
  private static final String METASTORE = "org.apache.hadoop.hive.metastore.HiveMetaStore";

  private OwnersMetastore() {}

  /** Takes HiveMetaStore's arguments. */
  public static void main(String[] arguments) throws Throwable {
    Door.requireOwner();
    // a class of the same package, through which the class loader lets another one in
    Class<?> neighbour = Class.forName(TRANSPORT + "TServerTransport");
    MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup())
        .defineClass(AcceptCall.leadToDoor(read("TServerSocket")));
    try {
      Class.forName(METASTORE).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }

  private static byte[] read(String name) throws IOException {
    String file = (TRANSPORT + name).replace('.', '/') + ".class";
    try (InputStream found = OwnersMetastore.class.getClassLoader().getResourceAsStream(file)) {
      if (found == null) {
        throw new IOException("there is no " + file);
      }
      return found.readAllBytes();
    }
  }
}
