import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.client.KrbConfig;
import org.apache.kerby.kerberos.kerb.client.KrbConfigKey;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A Kerberos server of its own realm. Requests:
 *
 * ticket PRINCIPAL KEYTAB CACHE SECONDS    as kinit does, with a keytab
 * skew SECONDS                             by how much clocks may differ from now on
 */
public class Kdc {
    private static SimpleKdcServer server;
    private static String realm;
    private static int port;

    /** FOLDER PORT REALM PRINCIPAL...: writes FOLDER/krb5.conf, and a keytab for each principal. */
    public static void main(String[] arguments) {
        Requests.serve(() -> start(arguments), request -> {
            if (request[0].equals("skew"))
                server.getKdcConfig().setLong(KdcConfigKey.ALLOWABLE_CLOCKSKEW, Long.parseLong(request[1]));
            else
                makeTicket(request);
            return List.of();
        });
    }

    private static void start(String[] arguments) throws Exception {
        File folder = new File(arguments[0]);
        port = Integer.parseInt(arguments[1]);
        realm = arguments[2];
        server = startServer(folder);
        for (String name : List.of(arguments).subList(3, arguments.length)) {
            String principal = name + "@" + realm;
            server.createPrincipal(principal);
            server.exportPrincipal(principal, new File(folder, name.replace('/', '-') + ".keytab"));
        }
        writeConfiguration(folder.toPath().resolve("krb5.conf"));
    }

    private static SimpleKdcServer startServer(File folder) throws Exception {
        SimpleKdcServer made = new SimpleKdcServer();
        made.setWorkDir(folder);
        made.setKdcRealm(realm);
        made.setKdcHost("localhost");
        made.setAllowTcp(true);
        made.setAllowUdp(false);
        made.setKdcTcpPort(port);
        made.getKdcConfig().setBoolean(KdcConfigKey.PREAUTH_REQUIRED, false);
        made.getKdcConfig().setLong(KdcConfigKey.MINIMUM_TICKET_LIFETIME, 1L);
        made.init();
        made.start();
        return made;
    }

    private static void writeConfiguration(Path file) throws Exception {
        Files.writeString(file, String.join("\n",
            "[libdefaults]",
            " default_realm = " + realm,
            " clockskew = 10",
            " udp_preference_limit = 1",
            " dns_lookup_kdc = false",
            " dns_lookup_realm = false",
            " dns_canonicalize_hostname = false",
            " rdns = false",
            "[realms]",
            " " + realm + " = {",
            "  kdc = localhost:" + port,
            " }",
            "[domain_realm]",
            " localhost = " + realm,
            ""));
    }

    private static void makeTicket(String[] request) throws Exception {
        KrbConfig config = new KrbConfig();
        config.setString(KrbConfigKey.DEFAULT_REALM, realm);
        config.setString(KrbConfigKey.TICKET_LIFETIME, request[4]);
        KrbClient client = new KrbClient(config);
        client.setKdcHost("localhost");
        client.setKdcRealm(realm);
        client.setAllowUdp(false);
        client.setKdcTcpPort(port);
        client.setTimeout(10_000);
        client.init();
        File cache = new File(request[3]);
        cache.delete();
        client.storeTicket(client.requestTgt(request[1] + "@" + realm, new File(request[2])), cache);
    }
}
