package stepward.clients;

import static stepward.clients.Matrix.check;
import static stepward.clients.Matrix.item;
import static stepward.clients.Matrix.refused;
import static stepward.clients.Matrix.same;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Checks of the change feed, feed ranges and hierarchical keys. */
final class Feeds {
    static void register() {
        check("change-feed", Feeds::changeFeed);
        check("feed-ranges", Feeds::feedRanges);
        check("all-versions", Feeds::allVersions);
        check("hierarchical-keys", Feeds::hierarchicalKeys);
    }

    private record Drained(List<JsonNode> changes, String token) {
        List<Integer> numbers() {
            return changes.stream().map(one -> one.get("id").asInt()).sorted().toList();
        }
    }

    private static Drained drained(CosmosContainer container, CosmosChangeFeedRequestOptions options) {
        List<JsonNode> changes = new ArrayList<>();
        String token = null;
        for (var page : container.queryChangeFeed(options.setMaxItemCount(7), JsonNode.class).iterableByPage()) {
            changes.addAll(page.getResults());
            token = page.getContinuationToken();
        }
        return new Drained(changes, token);
    }

    private static Drained since(CosmosContainer container, String token) {
        return drained(container, CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(token));
    }

    private static Drained fromBeginning(CosmosContainer container, FeedRange range) {
        return drained(container, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(range));
    }

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static void changeFeed(Shop shop) {
        CosmosContainer container = shop.container();
        for (int n = 0; n < 50; n += 1) container.createItem(item("id", "" + n, "pk", n));
        Drained first = fromBeginning(container, FeedRange.forFullRange());
        same(first.numbers(), upTo(50));
        same(since(container, first.token()).numbers(), List.of());
        container.upsertItem(item("id", "3", "pk", 3, "again", true));
        container.createItem(item("id", "50", "pk", 50));
        container.deleteItem("4", new PartitionKey(4), new CosmosItemRequestOptions());
        same(since(container, first.token()).numbers(), List.of(3, 50));
        Drained now = drained(container, CosmosChangeFeedRequestOptions.createForProcessingFromNow(FeedRange.forFullRange()));
        same(now.numbers(), List.of());
        container.createItem(item("id", "51", "pk", 51));
        same(since(container, now.token()).numbers(), List.of(51));
    }

    private static void feedRanges(Shop shop) {
        CosmosContainer container = shop.container();
        for (int n = 0; n < 40; n += 1) container.createItem(item("id", "" + n, "pk", n % 11));
        List<FeedRange> ranges = container.getFeedRanges();
        same(ranges.size(), 3);
        List<Integer> fed = new ArrayList<>();
        List<Integer> queried = new ArrayList<>();
        for (FeedRange range : ranges) {
            fed.addAll(fromBeginning(container, range).numbers());
            CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setFeedRange(range);
            container.queryItems("SELECT * FROM c", options, JsonNode.class).forEach(one -> queried.add(one.get("id").asInt()));
        }
        same(fed.stream().sorted().toList(), upTo(40));
        same(queried.stream().sorted().toList(), upTo(40));
        FeedRange ofKey = FeedRange.forLogicalPartition(new PartitionKey(1));
        same(fromBeginning(container, ofKey).numbers(), List.of(1, 12, 23, 34));
    }

    private static void allVersions(Shop shop) {
        ChangeFeedPolicy policy = ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(10));
        CosmosContainer container = shop.container("orders", properties -> properties.setChangeFeedPolicy(policy));
        var now = CosmosChangeFeedRequestOptions.createForProcessingFromNow(FeedRange.forFullRange()).allVersionsAndDeletes();
        String token = drained(container, now).token();
        container.createItem(item("id", "1", "pk", "a", "n", 1));
        container.upsertItem(item("id", "1", "pk", "a", "n", 2));
        container.deleteItem("1", new PartitionKey("a"), new CosmosItemRequestOptions());
        var later = CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(token).allVersionsAndDeletes();
        List<JsonNode> changes = drained(container, later).changes();
        same(changes.stream().map(one -> one.at("/metadata/operationType").asText()).toList(), List.of("create", "replace", "delete"));
        same(changes.stream().map(one -> one.at("/current/n").asInt()).toList(), List.of(1, 2, 0));
        same(changes.stream().map(one -> one.at("/previous/n").asInt()).toList(), List.of(0, 1, 2));
    }

    private static PartitionKey key(String tenant, String user, int session) {
        return new PartitionKeyBuilder().add(tenant).add(user).add(session).build();
    }

    private static void hierarchicalKeys(Shop shop) {
        PartitionKeyDefinition definition = new PartitionKeyDefinition();
        definition.setPaths(List.of("/tenant", "/user", "/session"));
        definition.setKind(PartitionKind.MULTI_HASH);
        definition.setVersion(PartitionKeyDefinitionVersion.V2);
        shop.database().createContainer(new CosmosContainerProperties("orders", definition));
        CosmosContainer container = shop.database().getContainer("orders");
        for (String tenant : List.of("a", "b")) {
            for (String user : List.of("x", "y", "z")) {
                for (int session = 0; session < 4; session += 1) {
                    container.createItem(item("id", tenant + user + session, "tenant", tenant, "user", user, "session", session));
                }
            }
        }
        same(Items.read(container, key("a", "x", 1), "ax1").get("id"), "ax1");
        refused(404, () -> Items.read(container, key("a", "x", 2), "ax1"));
        PartitionKey prefix = new PartitionKeyBuilder().add("a").add("x").build();
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(prefix);
        List<String> ids = container.queryItems("SELECT VALUE c.id FROM c", options, String.class).stream().sorted().toList();
        same(ids, List.of("ax0", "ax1", "ax2", "ax3"));
        CosmosQueryRequestOptions ofB = new CosmosQueryRequestOptions().setPartitionKey(new PartitionKeyBuilder().add("b").build());
        same(container.queryItems("SELECT * FROM c WHERE c.session = 2", ofB, JsonNode.class).stream().count(), 3);
        same(fromBeginning(container, FeedRange.forLogicalPartition(prefix)).changes().size(), 4);
    }
}
