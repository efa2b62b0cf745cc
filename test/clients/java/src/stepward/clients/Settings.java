package stepward.clients;

import static stepward.clients.Matrix.check;
import static stepward.clients.Matrix.item;
import static stepward.clients.Matrix.refused;
import static stepward.clients.Matrix.same;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import com.azure.cosmos.models.UniqueKey;
import com.azure.cosmos.models.UniqueKeyPolicy;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.List;

/** Checks of accounts, databases, containers, throughput and errors. */
final class Settings {
    static void register() {
        check("connect", shop -> {
            List<String> ids = shop.client().readAllDatabases().stream().map(one -> one.getId()).toList();
            same(ids.contains("connect"), true);
            String other = Base64.getEncoder().encodeToString("another key".getBytes());
            try {
                Shop.connected(shop.assignment(), other).close();
                throw new AssertionError("another key was accepted");
            } catch (RuntimeException error) {
                // The client reads the account when it is built, and wraps the refusal.
                same(error.getMessage().contains("StatusCode: Unauthorized"), true, error.getMessage());
            }
        });
        check("containers", Settings::containers);
        check("throughput", Settings::throughput);
        check("unique-keys", shop -> {
            CosmosContainer container = shop.container("orders", properties -> properties.setUniqueKeyPolicy(
                new UniqueKeyPolicy().setUniqueKeys(List.of(new UniqueKey(List.of("/email"))))));
            container.createItem(item("id", "1", "pk", "a", "email", "x"));
            refused(409, () -> container.createItem(item("id", "2", "pk", "a", "email", "x")));
            container.createItem(item("id", "2", "pk", "b", "email", "x"));
        });
        check("error-texts", Settings::errorTexts);
        check("refusals", Settings::refusals);
    }

    private static void containers(Shop shop) {
        same(shop.database().read().getProperties().getId(), "containers");
        refused(409, () -> shop.client().createDatabase("containers"));
        refused(404, () -> shop.client().getDatabase("missing").read());
        CosmosContainer container = shop.container("orders", properties -> properties.setDefaultTimeToLiveInSeconds(30));
        CosmosContainerProperties properties = container.read().getProperties();
        same(properties.getDefaultTimeToLiveInSeconds(), 30);
        same(properties.getPartitionKeyDefinition().getPaths(), List.of("/pk"));
        same(properties.getIndexingPolicy().getIndexingMode().toString().toLowerCase(), "consistent");
        same(shop.database().readAllContainers().stream().map(one -> one.getId()).toList(), List.of("orders"));
        same(shop.database().queryContainers("SELECT * FROM c WHERE c.id = 'orders'").stream().count(), 1);
        properties.setDefaultTimeToLiveInSeconds(-1);
        container.replace(properties);
        same(container.read().getProperties().getDefaultTimeToLiveInSeconds(), -1);
        refused(409, shop::container);
        container.delete();
        refused(404, container::read);
        shop.database().delete();
        refused(404, () -> shop.database().read());
    }

    private static void throughput(Shop shop) {
        shop.database().createContainer("manual", "/pk", ThroughputProperties.createManualThroughput(500));
        CosmosContainer manual = shop.database().getContainer("manual");
        same(manual.readThroughput().getProperties().getManualThroughput(), 500);
        manual.replaceThroughput(ThroughputProperties.createManualThroughput(900));
        same(manual.readThroughput().getProperties().getManualThroughput(), 900);
        shop.database().createContainer("scaled", "/pk", ThroughputProperties.createAutoscaledThroughput(4_000));
        CosmosContainer scaled = shop.database().getContainer("scaled");
        same(scaled.readThroughput().getProperties().getAutoscaleMaxThroughput(), 4_000);
        scaled.replaceThroughput(ThroughputProperties.createAutoscaledThroughput(5_000));
        same(scaled.readThroughput().getProperties().getAutoscaleMaxThroughput(), 5_000);
    }

    private static void errorTexts(Shop shop) {
        CosmosContainer container = shop.container();
        container.createItem(item("id", "1", "pk", "a"));
        CosmosException conflict = refused(409, () -> container.createItem(item("id", "1", "pk", "a")));
        same(conflict.getMessage().contains("Conflict"), true, conflict.getShortMessage());
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(new PartitionKey("a"));
        for (String[] one : new String[][] {
            {"SELEC * FROM c", "Syntax error"}, {"SELECT VALUE NOSUCH(c.id) FROM c", "NOSUCH"}}) {
            CosmosException refusal = refused(400, () -> container.queryItems(one[0], options, JsonNode.class).stream().count());
            same(refusal.getMessage().contains(one[1]), true, refusal.getShortMessage());
        }
    }

    private static void refusals(Shop shop) {
        var scripts = shop.container().getScripts();
        String body = "function () {}";
        List<Runnable> calls = List.of(
            () -> scripts.createStoredProcedure(new CosmosStoredProcedureProperties("x", body)),
            () -> scripts.createUserDefinedFunction(new CosmosUserDefinedFunctionProperties("x", body)),
            () -> scripts.createTrigger(new CosmosTriggerProperties("x", body)));
        for (Runnable call : calls) {
            String text = refused(501, call).getMessage();
            same(text.contains("embedded Cosmos DB"), true, text);
        }
    }
}
