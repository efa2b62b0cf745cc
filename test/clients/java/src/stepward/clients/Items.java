package stepward.clients;

import static stepward.clients.Matrix.check;
import static stepward.clients.Matrix.item;
import static stepward.clients.Matrix.refused;
import static stepward.clients.Matrix.same;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchItemRequestOptions;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks of items, batches, patches and keys. */
final class Items {
    private static final PartitionKey A = new PartitionKey("a");
    private static final CosmosItemRequestOptions PLAIN = new CosmosItemRequestOptions();

    static void register() {
        check("items", Items::items);
        check("etags", Items::etags);
        check("keys", Items::keys);
        check("unicode", Items::unicode);
        check("big-documents", Items::bigDocuments);
        check("patch", Items::patch);
        check("batch", Items::batch);
        check("bulk", Items::bulk);
        check("read-many", Items::readMany);
        check("sessions", Items::sessions);
        check("time-to-live", Items::timeToLive);
        check("delete-by-key", shop -> {
            CosmosContainer container = shop.container();
            for (int n = 0; n < 20; n += 1) container.createItem(item("id", "" + n, "pk", n % 2));
            container.deleteAllItemsByPartitionKey(new PartitionKey(1), PLAIN);
            same(all(container, "SELECT * FROM c").size(), 10);
        });
    }

    static JsonNode read(CosmosContainer container, PartitionKey key, String id) {
        return container.readItem(id, key, JsonNode.class).getItem();
    }

    static List<JsonNode> all(CosmosContainer container, String query) {
        return container.queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class).stream().toList();
    }

    private static void items(Shop shop) {
        CosmosContainer container = shop.container();
        JsonNode created = container.createItem((JsonNode) item("id", "1", "pk", "a", "n", 1)).getItem();
        same(created.hasNonNull("_etag") && created.get("_ts").asLong() > 0, true);
        same(read(container, A, "1").get("n"), 1);
        refused(409, () -> container.createItem(item("id", "1", "pk", "a")));
        same(container.upsertItem(item("id", "1", "pk", "a", "n", 2)).getStatusCode(), 200);
        same(container.replaceItem(item("id", "1", "pk", "a", "n", 3), "1", A, PLAIN).getItem().get("n"), 3);
        refused(404, () -> container.replaceItem(item("id", "2", "pk", "a"), "2", A, PLAIN));
        same(container.upsertItem(item("id", "2", "pk", "a")).getStatusCode(), 201);
        same(container.readAllItems(A, JsonNode.class).stream().count(), 2);
        container.deleteItem("1", A, PLAIN);
        refused(404, () -> read(container, A, "1"));
        refused(404, () -> container.deleteItem("1", A, PLAIN));
    }

    private static void etags(Shop shop) {
        CosmosContainer container = shop.container();
        String first = container.createItem(item("id", "1", "pk", "a", "n", 1)).getETag();
        String second = container.replaceItem(item("id", "1", "pk", "a", "n", 2), "1", A, PLAIN).getETag();
        CosmosItemRequestOptions stale = new CosmosItemRequestOptions().setIfMatchETag(first);
        refused(412, () -> container.replaceItem(item("id", "1", "pk", "a"), "1", A, stale));
        refused(412, () -> container.upsertItem(item("id", "1", "pk", "a"), stale));
        refused(412, () -> container.deleteItem("1", A, stale));
        container.deleteItem("1", A, new CosmosItemRequestOptions().setIfMatchETag(second));
    }

    private static void keys(Shop shop) {
        CosmosContainer container = shop.container();
        Object[] values = {"text", "ключ", "", 5, -1.5, 1e300, true, false};
        List<PartitionKey> keys = new ArrayList<>(Arrays.stream(values).map(PartitionKey::new).toList());
        keys.add(new PartitionKeyBuilder().addNullValue().build());
        keys.add(PartitionKey.NONE);
        for (int at = 0; at < values.length; at += 1) container.createItem(item("id", "same", "pk", values[at], "index", at));
        container.createItem(item("id", "same", "pk", null, "index", values.length));
        container.createItem(item("id", "same", "index", values.length + 1));
        for (int at = 0; at < keys.size(); at += 1) {
            same(read(container, keys.get(at), "same").get("index"), at);
            // This client sends a query of the missing key to all keys.
            if (keys.get(at) == PartitionKey.NONE) continue;
            CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(keys.get(at));
            same(container.queryItems("SELECT VALUE c.index FROM c", options, Integer.class).stream().toList(), List.of(at));
        }
    }

    private static void unicode(Shop shop) {
        CosmosContainer container = shop.container();
        for (String id : List.of("with space", "a+b", "100%", "%20", "ünï", "名前", "a&b=c", "'\"", "😀", "<tag>", "a:b@c", "[x]", "~")) {
            PartitionKey key = new PartitionKey(id);
            container.createItem(item("id", id, "pk", id, "text", id.repeat(3)));
            same(read(container, key, id).get("text"), id.repeat(3));
            container.replaceItem(item("id", id, "pk", id, "n", 1), id, key, PLAIN);
            container.patchItem(id, key, CosmosPatchOperations.create().increment("/n", 1), JsonNode.class);
            SqlQuerySpec spec = new SqlQuerySpec("SELECT VALUE c.n FROM c WHERE c.id = @id", new SqlParameter("@id", id));
            CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(key);
            same(container.queryItems(spec, options, Integer.class).stream().toList(), List.of(2), id);
            container.deleteItem(id, key, PLAIN);
        }
    }

    private static void bigDocuments(Shop shop) {
        CosmosContainer container = shop.container();
        String text = "x".repeat(1_900_000);
        container.createItem(item("id", "big", "pk", "a", "text", text));
        same(read(container, A, "big").get("text").asText().equals(text), true);
        refused(413, () -> container.createItem(item("id", "bigger", "pk", "a", "text", text + "x".repeat(300_000))));
    }

    private static void patch(Shop shop) {
        CosmosContainer container = shop.container();
        container.createItem(item("id", "1", "pk", "a", "n", 1, "list", List.of(1, 2), "gone", 1, "old", "v"));
        CosmosPatchOperations operations = CosmosPatchOperations.create()
            .add("/list/1", 9).set("/state", "open").replace("/n", 5).increment("/n", 2).remove("/gone").move("/old", "/new");
        JsonNode patched = container.patchItem("1", A, operations, JsonNode.class).getItem();
        same(patched, item("id", "1", "pk", "a", "n", 7, "list", List.of(1, 9, 2), "state", "open", "new", "v"));
        CosmosPatchOperations close = CosmosPatchOperations.create().set("/state", "closed");
        CosmosPatchItemRequestOptions condition = new CosmosPatchItemRequestOptions();
        condition.setFilterPredicate("from c where c.state = 'Open'");
        refused(412, () -> container.patchItem("1", A, close, condition, JsonNode.class));
        condition.setFilterPredicate("from c where c.state = 'open'");
        container.patchItem("1", A, close, condition, JsonNode.class);
        same(read(container, A, "1").get("state"), "closed");
        CosmosPatchOperations ofKey = CosmosPatchOperations.create().set("/pk", "b");
        refused(400, () -> container.patchItem("1", A, ofKey, JsonNode.class));
        CosmosPatchOperations ofNothing = CosmosPatchOperations.create().replace("/nothing", 1);
        refused(400, () -> container.patchItem("1", A, ofNothing, JsonNode.class));
        refused(404, () -> container.patchItem("2", A, close, JsonNode.class));
    }

    private static List<Integer> statuses(CosmosBatchResponse response) {
        return response.getResults().stream().map(result -> result.getStatusCode()).toList();
    }

    private static void batch(Shop shop) {
        CosmosContainer container = shop.container();
        CosmosBatch batch = CosmosBatch.createCosmosBatch(A);
        batch.createItemOperation(item("id", "1", "pk", "a", "n", 1));
        batch.upsertItemOperation(item("id", "2", "pk", "a"));
        batch.readItemOperation("1");
        batch.replaceItemOperation("2", item("id", "2", "pk", "a", "n", 2));
        batch.patchItemOperation("1", CosmosPatchOperations.create().increment("/n", 5));
        batch.deleteItemOperation("2");
        same(statuses(container.executeCosmosBatch(batch)), List.of(201, 201, 200, 200, 200, 204));
        same(read(container, A, "1").get("n"), 6);
        CosmosBatch collision = CosmosBatch.createCosmosBatch(A);
        collision.createItemOperation(item("id", "3", "pk", "a"));
        collision.createItemOperation(item("id", "1", "pk", "a"));
        collision.deleteItemOperation("1");
        same(statuses(container.executeCosmosBatch(collision)), List.of(424, 409, 424));
        refused(404, () -> read(container, A, "3"));
        CosmosBatch stale = CosmosBatch.createCosmosBatch(A);
        stale.deleteItemOperation("1", new CosmosBatchItemRequestOptions().setIfMatchETag("\"nothing\""));
        same(statuses(container.executeCosmosBatch(stale)), List.of(412));
    }

    private static void bulk(Shop shop) {
        CosmosContainer container = shop.container();
        List<CosmosItemOperation> operations = new ArrayList<>();
        for (int n = 0; n < 500; n += 1) {
            String key = "k" + n % 17;
            operations.add(CosmosBulkOperations.getCreateItemOperation(item("id", "" + n, "pk", key), new PartitionKey(key)));
        }
        int created = 0;
        for (var answer : container.executeBulkOperations(operations)) {
            if (answer.getResponse() != null && answer.getResponse().getStatusCode() == 201) created += 1;
        }
        same(created, 500);
        same(all(container, "SELECT * FROM c").size(), 500);
    }

    private static void readMany(Shop shop) {
        CosmosContainer container = shop.container();
        List<CosmosItemIdentity> wanted = new ArrayList<>(List.of(new CosmosItemIdentity(new PartitionKey(1), "missing")));
        List<String> expected = new ArrayList<>();
        for (int n = 0; n < 40; n += 1) {
            container.createItem(item("id", "" + n, "pk", n % 7));
            if (n % 2 == 1) continue;
            wanted.add(new CosmosItemIdentity(new PartitionKey(n % 7), "" + n));
            expected.add("" + n);
        }
        List<JsonNode> found = container.readMany(wanted, JsonNode.class).getResults();
        same(found.stream().map(one -> one.get("id").asText()).sorted().toList(), expected.stream().sorted().toList());
    }

    private static void sessions(Shop shop) {
        CosmosContainer container = shop.container();
        CosmosItemResponse<?> created = container.createItem(item("id", "1", "pk", "a"));
        same(created.getRequestCharge() > 0, true);
        CosmosItemRequestOptions options = new CosmosItemRequestOptions().setSessionToken(created.getSessionToken());
        same(container.readItem("1", A, options, JsonNode.class).getItem().get("id"), "1");
        String[] parts = created.getSessionToken().split("#");
        String ahead = parts[0] + "#" + (Long.parseLong(parts[1]) + 1_000_000);
        refused(404, () -> container.readItem("1", A, new CosmosItemRequestOptions().setSessionToken(ahead), JsonNode.class));
    }

    private static void timeToLive(Shop shop) {
        CosmosContainer container = shop.container("orders", properties -> properties.setDefaultTimeToLiveInSeconds(-1));
        container.createItem(item("id", "short", "pk", "a", "ttl", 1));
        container.createItem(item("id", "long", "pk", "a"));
        Instant deadline = Instant.now().plus(Duration.ofSeconds(10));
        while (all(container, "SELECT * FROM c").size() > 1) {
            if (Instant.now().isAfter(deadline)) throw new AssertionError("the item did not expire");
        }
        refused(404, () -> read(container, A, "short"));
    }
}
