package stepward.clients;

import com.azure.cosmos.CosmosClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.util.Properties;

/** Runs the checks of the matrix with the Java client: {@code Program ASSIGNMENT}. */
public final class Program {
    public static void main(String[] arguments) throws Exception {
        JsonNode assignment = Matrix.JSON.readTree(new File(arguments[0]));
        Matrix.print("version", version(), "runtime", "Java " + Runtime.version().feature());
        Items.register();
        Settings.register();
        Queries.register();
        Feeds.register();
        Processors.register();
        try (CosmosClient client = Shop.connected(assignment, assignment.get("key").asText())) {
            for (JsonNode name : assignment.get("checks")) Matrix.run(name.asText(), client, assignment);
        }
        // Threads of the client would keep the process alive.
        System.exit(0);
    }

    /** Reads the version of the client from its manifest. */
    private static String version() throws Exception {
        Properties properties = new Properties();
        String path = "/META-INF/maven/com.azure/azure-cosmos/pom.properties";
        try (var stream = CosmosClient.class.getResourceAsStream(path)) {
            properties.load(stream);
        }
        return properties.getProperty("version");
    }
}
