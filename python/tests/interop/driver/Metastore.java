import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.derby.tools.ij;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.security.HadoopThriftAuthBridge;

/** The metastore inside the engine's process: its Derby database, and a Thrift server for other processes. */
final class Metastore {
  private static final int SERVER_START_LIMIT_MS = 120_000;

  private Metastore() {}

  /** Runs the schema scripts with Derby's own script tool; any error of a statement is an error here. */
  static void createSchema(String url, String[] scripts) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      for (String script : scripts) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (InputStream sql = new FileInputStream(script)) {
          if (ij.runScript(connection, sql, "UTF-8", output, "UTF-8") > 0) {
            throw new IllegalStateException(script + " failed: " + output.toString("UTF-8"));
          }
        }
      }
    }
  }

  /**
   * Serves this process's metastore at a port of the local machine and returns when the port is open. Unlike
   * HiveMetaStore.main it starts no background threads: nothing compacts, cleans or times out unless a request says so.
   */
  static void serve(HiveConf conf, int port) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread server = new Thread(() -> {
      try {
        HiveMetaStore.startMetaStore(port, HadoopThriftAuthBridge.getBridge(), new HiveConf(conf));
      } catch (Throwable e) {
        failure.set(e);
      }
    }, "metastore-server");
    server.setDaemon(true);
    server.start();
    long limit = System.nanoTime() + SERVER_START_LIMIT_MS * 1_000_000L;
    while (!isOpen(port)) {
      if (failure.get() != null || System.nanoTime() > limit) {
        throw new IllegalStateException("the metastore did not open port " + port, failure.get());
      }
      Thread.sleep(50);
    }
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
