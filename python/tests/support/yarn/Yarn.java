import java.io.File;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/** A ResourceManager and two NodeManagers. When it is ready, the folder has the configuration of clients as yarn-site.xml.
 * The requests:
 *
 * applications             all applications: ID, state as clients are told it, and final state, parted by bars
 * containers               the IDs of the containers that run
 */
public class Yarn {
    private static final int NODES = 2;
    private static MiniYARNCluster cluster;

    /** FOLDER, and settings KEY=VALUE of servers and clients. */
    public static void main(String[] arguments) {
        Requests.serve(() -> start(arguments), Yarn::answer);
    }

    private static void start(String[] arguments) throws Exception {
        YarnConfiguration conf = new YarnConfiguration();
        for (String setting : List.of(arguments).subList(1, arguments.length)) {
            String[] parts = setting.split("=", 2);
            conf.set(parts[0], parts[1]);
        }
        UserGroupInformation.setConfiguration(conf);
        if (UserGroupInformation.isSecurityEnabled()) // the servers of the cluster leave that to the test
            UserGroupInformation.loginUserFromKeytab(
                conf.get(YarnConfiguration.RM_PRINCIPAL), conf.get(YarnConfiguration.RM_KEYTAB));
        System.setProperty("test.build.data", arguments[0]);
        cluster = new MiniYARNCluster("yarn", NODES, 1, 1);
        cluster.init(conf);
        cluster.start();
        if (!cluster.waitForNodeManagersToConnect(60_000)) throw new IllegalStateException("no node managers");
        try (FileOutputStream file = new FileOutputStream(new File(arguments[0], "yarn-site.xml"))) {
            Configuration told = new Configuration(false);
            for (Map.Entry<String, String> entry : cluster.getConfig())
                if (entry.getKey().startsWith("yarn.")) told.set(entry.getKey(), entry.getValue());
            told.writeXml(file);
        }
    }

    private static List<String> answer(String[] request) {
        List<String> found = new ArrayList<>();
        switch (request[0]) {
            case "applications" -> cluster.getResourceManager().getRMContext().getRMApps().values().forEach(app ->
                found.add(app.getApplicationId() + "|" + app.createApplicationState() + "|"
                    + app.getFinalApplicationStatus()));
            case "containers" -> {
                for (int i = 0; i < NODES; i++)
                    cluster.getNodeManager(i).getNMContext().getContainers().keySet().forEach(id -> found.add("" + id));
            }
            default -> throw new IllegalArgumentException(request[0]);
        }
        return found;
    }
}
