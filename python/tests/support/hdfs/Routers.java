import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.server.federation.resolver.MountTableResolver;
import org.apache.hadoop.hdfs.server.federation.router.Router;
import org.apache.hadoop.hdfs.server.federation.store.MountTableStore;
import org.apache.hadoop.hdfs.server.federation.store.protocol.AddMountTableEntryRequest;
import org.apache.hadoop.hdfs.server.federation.store.records.MountTable;
import org.apache.hadoop.util.ToolRunner;

/** A router in front of two name services. The requests:
 *
 * mount PATH NAME          all below the path lies in the name service ns1 or ns2 from now on
 * shell ARGUMENT...        as hdfs dfs, by the router
 * tree PATH                all that lies below: path, owner, group and permission, parted by bars
 */
public class Routers {
    private static final String OPTIONS = "dfs.federation.router.";
    private static final int ATTEMPTS = 100;
    private static MiniDFSCluster cluster;
    private static Router router;
    private static Configuration client;

    /** FOLDER PORT, and settings KEY=VALUE of clients. */
    public static void main(String[] arguments) {
        Requests.serve(() -> start(arguments), Routers::answer);
    }

    private static void start(String[] arguments) throws Exception {
        client = new Configuration();
        for (String setting : List.of(arguments).subList(2, arguments.length)) {
            String[] parts = setting.split("=", 2);
            client.set(parts[0], parts[1]);
        }
        Configuration conf = new Configuration();
            cluster = new MiniDFSCluster.Builder(conf, new File(arguments[0]))
            .nnTopology(MiniDFSNNTopology.simpleFederatedTopology(2)).numDataNodes(2).build();
        cluster.waitActive();
        router = new Router();
        router.init(routed(conf, arguments[0], arguments[1]));
        router.start();
        awaitNameNodes();
    }

    private static Configuration routed(Configuration conf, String folder, String port) {
        Configuration own = new Configuration(conf);
        own.set("dfs.nameservices", "ns1,ns2");
        for (int i = 0; i < 2; i++)
            own.set("dfs.namenode.rpc-address.ns" + (i + 1), "localhost:" + cluster.getNameNodePort(i));
        Map.of(
            "monitor.namenode", "ns1,ns2", "rpc-address", "localhost:" + port, "rpc-bind-host", "localhost",
            "default.nameserviceId", "ns1", "cache.ttl", "1s", "heartbeat.interval", "1000",
            "store.driver.class", "org.apache.hadoop.hdfs.server.federation.store.driver.impl.StateStoreFileImpl",
            "store.driver.file.directory", folder + "/store"
        ).forEach((name, value) -> own.set(OPTIONS + name, value));
        for (String unused : List.of("http", "admin", "metrics", "safemode", "quota"))
            own.setBoolean(OPTIONS + unused + ".enable", false);
        return own;
    }

    /** The router learns of them by its own heartbeats. */
    private static void awaitNameNodes() throws Exception {
        mount("/second", "ns2");
        for (int attempt = 1; ; attempt++) {
            try {
                files().getFileStatus(new Path("/"));
                files().mkdirs(new Path("/second/ready"));
                return;
            } catch (java.io.IOException notYet) {
                if (attempt == ATTEMPTS) throw notYet;
                Thread.sleep(300);
            }
        }
    }

    private static List<String> answer(String[] words) throws Exception {
        String[] rest = Arrays.copyOfRange(words, 1, words.length);
        switch (words[0]) {
            case "mount" -> mount(rest[0], rest[1]);
            case "shell" -> {
                int code = ToolRunner.run(client, new FsShell(), rest);
                if (code != 0) throw new IllegalStateException("code " + code + ", see its log");
            }
            case "tree" -> {
                List<String> found = new ArrayList<>();
                describe(new Path(rest[0]), found);
                return found;
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
        return List.of();
    }

    private static void mount(String path, String name) throws Exception {
        var entry = AddMountTableEntryRequest.newInstance(MountTable.newInstance(path, Map.of(name, path)));
        var mounts = router.getStateStore().getRegisteredRecordStore(MountTableStore.class);
        if (!mounts.addMountTableEntry(entry).getStatus()) throw new IllegalStateException(path);
        ((MountTableResolver) router.getSubclusterResolver()).loadCache(true);
        cluster.getFileSystem(name.equals("ns1") ? 0 : 1).mkdirs(new Path(path));
    }

    private static FileSystem files() throws Exception {
        return FileSystem.get(client);
    }

    private static void describe(Path folder, List<String> found) throws Exception {
        for (FileStatus status : files().listStatus(folder)) {
            String rights = status.getOwner() + "|" + status.getGroup() + "|" + status.getPermission();
            found.add(status.getPath().toUri().getPath() + "|" + rights + "|");
            try {
                if (status.isDirectory()) describe(status.getPath(), found);
            } catch (java.io.FileNotFoundException gone) {
                // the Cleaner was here
            }
        }
    }
}
