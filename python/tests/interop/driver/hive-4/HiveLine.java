import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.processors.CommandProcessor;
import org.apache.hadoop.hive.ql.txn.compactor.Cleaner;
import org.apache.hadoop.hive.ql.txn.compactor.CompactorThread;
import org.apache.hadoop.hive.ql.txn.compactor.Initiator;
import org.apache.hadoop.hive.ql.txn.compactor.Worker;

/** What differs between the lines of Hive: 4.0 and 4.1. */
final class HiveLine {
  private static final String[] CAPABILITIES = {
    "EXTWRITE", "EXTREAD", "HIVEBUCKET2", "HIVEFULLACIDREAD", "HIVEFULLACIDWRITE", "HIVECACHEINVALIDATE", "HIVEMANAGESTATS",
    "HIVEMANAGEDINSERTREAD", "HIVEMANAGEDINSERTWRITE"
  };

  private HiveLine() {}

  /** The metastore hands out transactional tables only to clients that say they can deal with them; HiveServer2 says so. */
  static void declareCapabilities() {
    HiveMetaStoreClient.setProcessorIdentifier("HiveDriver");
    HiveMetaStoreClient.setProcessorCapabilities(CAPABILITIES);
  }

  static void command(CommandProcessor processor, String text) throws Exception {
    processor.run(text);
  }

  static void compile(IDriver driver, String sql) throws Exception {
    driver.compileAndRespond(sql);
  }

  static void run(IDriver driver) throws Exception {
    driver.run();
  }

  static void stream(HiveConf conf, String request) {
    throw new UnsupportedOperationException("streaming ingest of this release is not on the class path");
  }

  static String validWriteIds(HiveConf conf, String table) throws Exception {
    return Hive.get(conf).getMSC().getValidWriteIds(table).writeToString();
  }

  /** One pass of a compactor thread: it looks at the stop flag only after its first round. */
  static void compactorPass(String name, HiveConf conf) throws Exception {
    CompactorThread thread = name.equals("worker") ? new Worker() : name.equals("cleaner") ? new Cleaner() : new Initiator();
    thread.setConf(conf);
    thread.init(new AtomicBoolean(true));
    thread.start();
    thread.join();
  }
}
