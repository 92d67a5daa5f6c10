import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hive.streaming.HiveStreamingConnection;
import org.apache.hive.streaming.StreamingConnection;
import org.apache.hive.streaming.StrictDelimitedInputWriter;

/**
 * Hive's streaming ingest, one connection at a time.
 *
 * <p>{@code open db.table n} makes it, with batches of n transactions; {@code commit rows} and {@code abort rows} are one
 * transaction of the batch each, {@code write rows} begins one and leaves it open; rows are lines of values with commas between,
 * partition values last; {@code close} ends it.
 */
final class Stream {
  private static StreamingConnection connection;

  private Stream() {}

  static void request(HiveConf conf, String text) throws Exception {
    String[] words = text.split(" ", 2);
    switch (words[0]) {
      case "open":
        String[] target = words[1].split("[. ]");
        connection =
            HiveStreamingConnection.newBuilder()
                .withDatabase(target[0])
                .withTable(target[1])
                .withAgentInfo("driver")
                .withTransactionBatchSize(Integer.parseInt(target[2]))
                .withRecordWriter(StrictDelimitedInputWriter.newBuilder().withFieldDelimiter(',').build())
                .withHiveConf(new HiveConf(conf))
                .connect();
        break;
      case "commit":
        write(words[1]);
        connection.commitTransaction();
        break;
      case "abort":
        write(words[1]);
        connection.abortTransaction();
        break;
      case "write":
        write(words[1]);
        break;
      case "close":
        connection.close();
        break;
      default:
        throw new IllegalArgumentException("no such request of a stream: " + text);
    }
  }

  private static void write(String rows) throws Exception {
    connection.beginTransaction();
    for (String row : rows.split("\n")) {
      connection.write(row.getBytes(StandardCharsets.UTF_8));
    }
  }
}
