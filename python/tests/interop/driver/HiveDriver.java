import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.processors.CommandProcessor;
import org.apache.hadoop.hive.ql.processors.CommandProcessorFactory;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.hadoop.hive.serde2.SerDeUtils;
import org.apache.hadoop.hive.serde2.thrift.ThriftFormatter;

/**
 * A Hive engine in one process: each line of standard input is one request, answered by one line of JSON.
 *
 * <p>Requests: a statement of Hive; {@code !conf key=value} sets what SET refuses; {@code !worker}, {@code !cleaner} and
 * {@code !initiator} run one pass of that thread of the compactor; {@code !writeids db.table} is the valid write-ID list;
 * {@code !stream ...} is streaming ingest, where the release has it on the class path (see Stream). In a request
 * {@code \n} is a line feed and {@code \\} a backslash. Answers: {@code {"columns": [[name, type], ...], "rows": [[...], ...]}} or
 * {@code {"error": "..."}}. The process ends when standard input does.
 *
 * <p>System properties: {@code driver.schema} (SQL files, comma separated, for an empty database), {@code driver.port} (serve
 * this engine's metastore to other processes).
 */
public final class HiveDriver {
  private static final String END = "!end";

  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, "UTF-8");
    System.setOut(System.err); // what Hive prints must not mix with the answers
    HiveConf conf = new HiveConf(SessionState.class);
    try {
      if (System.getProperty("driver.schema") != null) {
        Metastore.createSchema(conf.get("javax.jdo.option.ConnectionURL"), System.getProperty("driver.schema").split(","));
      }
      if (System.getProperty("driver.port") != null) {
        Metastore.serve(conf, Integer.getInteger("driver.port"));
      }
      HiveLine.declareCapabilities();
      // the formatter of HiveServer2: rows as arrays of Java values; the default joins them by tabs and hides NULL
      conf.set(SerDeUtils.LIST_SINK_OUTPUT_FORMATTER, ThriftFormatter.class.getName());
      conf.setInt(SerDeUtils.LIST_SINK_OUTPUT_PROTOCOL, 9); // of the protocols that leave binary values as bytes (5 and later)
      SessionState session = new SessionState(conf);
      session.setIsSilent(true);
      SessionState.start(session);
    } catch (Throwable e) {
      e.printStackTrace();
      answers.println(Json.error(e));
      System.exit(1);
    }
    answers.println(Json.result(new ArrayList<>(), new ArrayList<>()));
    BlockingQueue<String> requests = requests();
    for (String request = requests.take(); !request.equals(END); request = requests.take()) {
      answers.println(answer(request));
    }
    System.exit(0);
  }

  /** Read by a thread of its own, so that the end of the parent is noticed during a statement too. */
  private static BlockingQueue<String> requests() {
    BlockingQueue<String> queue = new ArrayBlockingQueue<>(16);
    Thread reader = new Thread(() -> {
      try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          queue.put(line.equals(END) ? line : unescape(line));
        }
      } catch (Exception e) {
        e.printStackTrace();
      }
      if (!queue.contains(END)) {
        Runtime.getRuntime().halt(2);
      }
    }, "requests");
    reader.setDaemon(true);
    reader.start();
    return queue;
  }

  private static String unescape(String line) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c != '\\') {
        text.append(c);
      } else {
        text.append(line.charAt(++i) == 'n' ? '\n' : line.charAt(i));
      }
    }
    return text.toString();
  }

  private static String answer(String request) {
    try {
      return request.startsWith("!") ? own(request.substring(1)) : statement(request);
    } catch (Throwable e) {
      e.printStackTrace();
      return Json.error(e);
    }
  }

  private static String own(String request) throws Exception {
    HiveConf conf = SessionState.get().getConf();
    String[] words = request.split(" ", 2);
    List<Object> rows = new ArrayList<>();
    switch (words[0]) {
      case "conf":
        String[] setting = words[1].split("=", 2);
        conf.set(setting[0], setting[1]);
        break;
      case "worker":
      case "cleaner":
      case "initiator":
        HiveLine.compactorPass(words[0], new HiveConf(conf));
        break;
      case "writeids":
        rows.add(new Object[] {HiveLine.validWriteIds(conf, words[1])});
        break;
      case "stream":
        HiveLine.stream(conf, words[1]);
        break;
      default:
        throw new IllegalArgumentException("no such request: " + request);
    }
    return Json.result(new ArrayList<>(), rows);
  }

  private static String statement(String sql) throws Exception {
    HiveConf conf = SessionState.get().getConf();
    String[] words = sql.trim().split("\\s+");
    CommandProcessor command = CommandProcessorFactory.getForHiveCommand(words, conf);
    if (command != null) { // SET and its like
      HiveLine.command(command, sql.trim().substring(words[0].length()).trim());
      return Json.result(new ArrayList<>(), new ArrayList<>());
    }
    IDriver driver = DriverFactory.newDriver(conf);
    try {
      HiveLine.compile(driver, sql);
      boolean hasRows = driver.hasResultSet(); // not known any more after the run
      HiveLine.run(driver);
      if (!hasRows) {
        return Json.result(new ArrayList<>(), new ArrayList<>());
      }
      return Json.result(driver.getSchema().getFieldSchemas(), rows(driver));
    } finally {
      driver.close();
      driver.destroy();
    }
  }

  private static List<Object> rows(IDriver driver) throws Exception {
    List<Object> all = new ArrayList<>();
    List<Object> page = new ArrayList<>();
    while (driver.getResults(page)) {
      all.addAll(page);
      page.clear();
    }
    return all;
  }
}
