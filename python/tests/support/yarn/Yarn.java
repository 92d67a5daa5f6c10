import java.io.File;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/** A ResourceManager and two NodeManagers, for as long as standard input stays open. Each line there is a request, whose
 * words are parted by tabs, and is answered by a line, "done" or "failed" and why:
 *
 * applications             the answer is "done" and, behind tabs, all applications: ID, state and final state, parted by bars
 * containers               the answer is "done" and, behind tabs, the IDs of the containers that run
 *
 * The first line it writes is "ready"; the folder has the configuration of clients by then, as yarn-site.xml.
 */
public class Yarn {
    private static final int NODES = 2;
    private static MiniYARNCluster cluster;

    /** FOLDER, and settings KEY=VALUE of servers and clients. */
    public static void main(String[] arguments) throws Exception {
        YarnConfiguration conf = new YarnConfiguration();
        for (String setting : List.of(arguments).subList(1, arguments.length)) {
            String[] parts = setting.split("=", 2);
            conf.set(parts[0], parts[1]);
        }
        java.io.PrintStream answers = System.out;
        System.setOut(System.err);
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
        answers.println("ready");
        var requests = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            try {
                answers.println(String.join("\t", answer(line)));
            } catch (Exception error) {
                answers.println("failed " + error.toString().replace('\n', ' '));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static List<String> answer(String request) {
        List<String> found = new ArrayList<>(List.of("done"));
        switch (request) {
            case "applications" -> cluster.getResourceManager().getRMContext().getRMApps().values().forEach(app ->
                found.add(app.getApplicationId() + "|" + app.getState() + "|" + app.getFinalApplicationStatus()));
            case "containers" -> {
                for (int i = 0; i < NODES; i++)
                    cluster.getNodeManager(i).getNMContext().getContainers().keySet().forEach(id -> found.add("" + id));
            }
            default -> throw new IllegalArgumentException(request);
        }
        return found;
    }
}
