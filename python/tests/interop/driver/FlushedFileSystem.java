import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** Local files that show what was flushed into them before they are closed, as those of HDFS do: those with checksums do not. */
public final class FlushedFileSystem extends JavaFileSystem {
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setWriteChecksum(false);
  }
}
