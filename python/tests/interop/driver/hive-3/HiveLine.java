import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.MetaStoreThread;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.processors.CommandProcessor;
import org.apache.hadoop.hive.ql.processors.CommandProcessorResponse;
import org.apache.hadoop.hive.ql.txn.compactor.Cleaner;
import org.apache.hadoop.hive.ql.txn.compactor.Initiator;
import org.apache.hadoop.hive.ql.txn.compactor.Worker;

/** What differs between the lines of Hive: 3.1. */
final class HiveLine {
  private HiveLine() {}

  /** Hive 3.1 clients declare nothing. */
  static void declareCapabilities() {}

  static void command(CommandProcessor processor, String text) throws Exception {
    check(processor.run(text));
  }

  static void compile(IDriver driver, String sql) throws Exception {
    check(driver.compileAndRespond(sql));
  }

  static void run(IDriver driver) throws Exception {
    check(driver.run());
  }

  /** Errors come in the response, not as exceptions. */
  private static void check(CommandProcessorResponse response) throws Exception {
    if (response.getResponseCode() != 0) {
      throw new Exception(response.getErrorMessage(), response.getException());
    }
  }

  static void stream(HiveConf conf, String request) throws Exception {
    Stream.request(conf, request);
  }

  static String validWriteIds(HiveConf conf, String table) throws Exception {
    return Hive.get(conf).getMSC().getValidWriteIds(table).writeToString();
  }

  /** One pass of a compactor thread: it looks at the stop flag only after its first round. */
  static void compactorPass(String name, HiveConf conf) throws Exception {
    Thread thread = name.equals("worker") ? new Worker() : name.equals("cleaner") ? new Cleaner() : new Initiator();
    MetaStoreThread pass = (MetaStoreThread) thread;
    pass.setConf(conf);
    pass.setThreadId(1);
    pass.init(new AtomicBoolean(true), new AtomicBoolean());
    thread.start();
    thread.join();
  }
}
