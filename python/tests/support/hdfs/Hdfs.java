import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;

/** Two NameNodes of one name service and two DataNodes. The requests:
 *
 * failover                 the other NameNode becomes the active one
 * kill-namenode            the active one ends, and the other takes over
 * start-namenode           the one that has ended starts again, as the one that stands by
 * kill-datanode, start-datanode
 * shell ARGUMENT...        as hdfs dfs
 * admin ARGUMENT...        as hdfs dfsadmin
 * zone PATH                makes an encryption zone of an empty folder
 * tree PATH                all that lies below: path, owner, group, permission and the entries of its ACL, parted by bars
 */
public class Hdfs {
    private static final String NAME = "lake";
    private static final String KEY = "key";
    private static final Configuration conf = new Configuration();
    /** As a client is configured: the cluster puts addresses of its own into the other. */
    private static Configuration client;
    private static MiniDFSCluster cluster;
    private static MiniDFSCluster.DataNodeProperties lost;
    private static int active = 0;

    /** FOLDER PORT PORT, and settings KEY=VALUE of servers and shell. */
    public static void main(String[] arguments) {
        Requests.serve(() -> start(arguments), Hdfs::answer);
    }

    private static void start(String[] arguments) throws Exception {
        for (String setting : List.of(arguments).subList(3, arguments.length)) {
            String[] parts = setting.split("=", 2);
            conf.set(parts[0], parts[1]);
        }
        client = new Configuration(conf);
        UserGroupInformation.setConfiguration(conf);
        if (UserGroupInformation.isSecurityEnabled())
            UserGroupInformation.loginUserFromKeytab(
                conf.get("dfs.namenode.kerberos.principal"), conf.get("dfs.namenode.keytab.file"));
        MiniDFSNNTopology.NSConf service = new MiniDFSNNTopology.NSConf(NAME);
        for (int i = 1; i <= 2; i++)
            service.addNN(new MiniDFSNNTopology.NNConf("nn" + i).setIpcPort(Integer.parseInt(arguments[i])));
        cluster = new MiniDFSCluster.Builder(conf, new File(arguments[0]))
            .nnTopology(new MiniDFSNNTopology().addNameservice(service)).numDataNodes(2).build();
        cluster.waitActive();
        cluster.transitionToActive(active);
        makeKey();
    }

    private static List<String> answer(String[] words) throws Exception {
        String[] rest = Arrays.copyOfRange(words, 1, words.length);
        switch (words[0]) {
            case "failover" -> {
                cluster.transitionToStandby(active);
                takeOver();
            }
            case "kill-namenode" -> {
                cluster.shutdownNameNode(active);
                takeOver();
            }
            case "start-namenode" -> {
                cluster.restartNameNode(1 - active);
                cluster.waitActive(active);
            }
            case "kill-datanode" -> lost = cluster.stopDataNode(0);
            case "start-datanode" -> {
                cluster.restartDataNode(lost, true);
                cluster.waitActive(active);
            }
            case "shell" -> run(ToolRunner.run(client, new FsShell(), rest));
            case "admin" -> run(ToolRunner.run(client, new DFSAdmin(), rest));
            case "zone" -> cluster.getFileSystem(active).createEncryptionZone(new Path(rest[0]), KEY);
            case "tree" -> {
                List<String> found = new ArrayList<>();
                describe(cluster.getFileSystem(active), new Path(rest[0]), found);
                return found;
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
        return List.of();
    }

    private static void describe(DistributedFileSystem system, Path folder, List<String> found) throws Exception {
        for (FileStatus status : system.listStatus(folder)) {
            Path path = status.getPath();
            String rights = status.getOwner() + "|" + status.getGroup() + "|" + status.getPermission();
            try {
                var acl = system.getAclStatus(path).getEntries();
                found.add(path.toUri().getPath() + "|" + rights + "|" + acl);
                if (status.isDirectory()) describe(system, path, found);
            } catch (java.io.FileNotFoundException gone) {
                // the Cleaner was here
            }
        }
    }

    private static void takeOver() throws Exception {
        active = 1 - active;
        cluster.transitionToActive(active);
    }

    private static void run(int code) {
        if (code != 0) throw new IllegalStateException("code " + code + ", see its log");
    }

    /** Before there are clients, for one reads the file of keys only once. */
    private static void makeKey() throws Exception {
        var provider = cluster.getNameNode(active).getNamesystem().getProvider();
        provider.createKey(KEY, new org.apache.hadoop.crypto.key.KeyProvider.Options(conf).setBitLength(128));
        provider.flush();
    }
}
