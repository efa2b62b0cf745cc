package stepward.clients;

import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;

/** What one check works with: a database of its own, and the client that created it. */
record Shop(CosmosClient client, CosmosDatabase database, JsonNode assignment) {
    static CosmosClient connected(JsonNode assignment, String key) {
        return builder(assignment, key).buildClient();
    }

    static CosmosClientBuilder builder(JsonNode assignment, String key) {
        return new CosmosClientBuilder()
            .endpoint(assignment.get("endpoint").asText())
            .key(key)
            .gatewayMode()
            .consistencyLevel(ConsistencyLevel.SESSION)
            .contentResponseOnWriteEnabled(true);
    }

    CosmosContainer container() {
        return container("orders", properties -> {});
    }

    /** Creates a container with the key {@code /pk}. The function may change its settings. */
    CosmosContainer container(String name, Consumer<CosmosContainerProperties> change) {
        CosmosContainerProperties properties = new CosmosContainerProperties(name, "/pk");
        change.accept(properties);
        database.createContainer(properties);
        return database.getContainer(name);
    }
}
