package stepward.clients;

import static stepward.clients.Matrix.check;
import static stepward.clients.Matrix.item;
import static stepward.clients.Matrix.same;

import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.ChangeFeedProcessorItem;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/** Checks of the client's three change feed processors, and of their estimator. */
final class Processors {
    private static final int COUNT = 5_000;

    /** Tells a builder what to do with the number of each changed item. */
    private interface Mode extends BiConsumer<ChangeFeedProcessorBuilder, java.util.function.Consumer<JsonNode>> {}

    static void register() {
        Mode changes = (builder, seen) -> builder.handleChanges(items -> items.forEach(seen));
        Mode latest = (builder, seen) -> builder.handleLatestVersionChanges(items -> each(items, seen));
        Mode versions = (builder, seen) -> builder.handleAllVersionsAndDeletesChanges(
            (List<ChangeFeedProcessorItem> items) -> each(items, seen));
        check("processor", shop -> splitAndMerge(shop, changes, true));
        check("processor-latest", shop -> splitAndMerge(shop, latest, true));
        check("processor-versions", shop -> splitAndMerge(shop, versions, false));
        check("estimator", shop -> estimator(shop, latest));
    }

    private static void each(List<ChangeFeedProcessorItem> items, java.util.function.Consumer<JsonNode> seen) {
        items.forEach(one -> seen.accept(one.getCurrent()));
    }

    /** Two hosts read 5,000 items, while a range is split and two ranges are merged. */
    private static void splitAndMerge(Shop shop, Mode mode, boolean startsAtBeginning) throws Exception {
        CosmosContainer feed = monitored(shop);
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        Set<String> hosts = ConcurrentHashMap.newKeySet();
        try (CosmosAsyncClient client = Shop.builder(shop.assignment(), shop.assignment().get("key").asText()).buildAsyncClient()) {
            int first = startsAtBeginning ? 1_000 : 0;
            store(feed, 0, first);
            List<ChangeFeedProcessor> processors = new ArrayList<>();
            for (String host : List.of("one", "two")) {
                processors.add(processor(client, shop, host, builder -> mode.accept(builder, item -> {
                    hosts.add(host);
                    seen.merge(item.get("id").asText(), 1, Integer::sum);
                }), startsAtBeginning));
            }
            try {
                for (ChangeFeedProcessor processor : processors) processor.start().block();
                await("both hosts own leases", () -> owners(processors.get(0)).size() == 2);
                store(feed, first, 2_000);
                stepward(shop, "split", "--range", "0");
                store(feed, 2_000, 3_500);
                stepward(shop, "merge", "--ranges", "1", "2");
                store(feed, 3_500, COUNT);
                await("all items are seen", () -> seen.size() == COUNT);
                same(hosts.size(), 2, "hosts that read:");
            } catch (AssertionError error) {
                throw new AssertionError(error.getMessage() + "; seen " + seen.size() + " of " + COUNT, error);
            } finally {
                for (ChangeFeedProcessor processor : processors) processor.stop().block();
            }
        }
    }

    /**
     * A processor lags behind by the items that it did not accept. It refuses the later items itself, because
     * workers of this client may read one more page after {@code stop} has completed.
     */
    private static void estimator(Shop shop, Mode mode) throws Exception {
        CosmosContainer feed = monitored(shop);
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (CosmosAsyncClient client = Shop.builder(shop.assignment(), shop.assignment().get("key").asText()).buildAsyncClient()) {
            ChangeFeedProcessor processor = processor(client, shop, "one",
                builder -> mode.accept(builder, item -> {
                    if (item.get("n").asInt() >= 60) throw new IllegalStateException("accepts no more items");
                    seen.add(item.get("id").asText());
                }), true);
            processor.start().block();
            store(feed, 0, 60);
            await("the first items are seen", () -> seen.size() == 60);
            await("no lag is left", () -> lag(processor) == 0);
            same(processor.getCurrentState().block().size(), 3, "leases:");
            processor.stop().block();
            store(feed, 60, 200);
            same(lag(processor), 140);
            same(seen.size(), 60, "accepted items:");
        }
    }

    private static int lag(ChangeFeedProcessor processor) {
        return processor.getCurrentState().block().stream().mapToInt(state -> state.getEstimatedLag()).sum();
    }

    private static Set<String> owners(ChangeFeedProcessor processor) {
        Set<String> owners = ConcurrentHashMap.newKeySet();
        processor.getCurrentState().block().forEach(state -> {
            if (state.getHostName() != null) owners.add(state.getHostName());
        });
        return owners;
    }

    /** Creates the container whose feed is read, and the container of leases. Both have three ranges. */
    private static CosmosContainer monitored(Shop shop) {
        shop.database().createContainer(new CosmosContainerProperties("leases", "/id"));
        ChangeFeedPolicy policy = ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(10));
        return shop.container("orders", properties -> properties.setChangeFeedPolicy(policy));
    }

    private static ChangeFeedProcessor processor(CosmosAsyncClient client, Shop shop, String host,
        java.util.function.Consumer<ChangeFeedProcessorBuilder> handle, boolean startsAtBeginning) {
        CosmosAsyncContainer feed = client.getDatabase(shop.database().getId()).getContainer("orders");
        CosmosAsyncContainer leases = client.getDatabase(shop.database().getId()).getContainer("leases");
        ChangeFeedProcessorOptions options = new ChangeFeedProcessorOptions()
            .setFeedPollDelay(Duration.ofMillis(100))
            .setLeaseAcquireInterval(Duration.ofMillis(500))
            .setLeaseRenewInterval(Duration.ofSeconds(1))
            .setLeaseExpirationInterval(Duration.ofSeconds(5));
        if (startsAtBeginning) options.setStartFromBeginning(true);
        ChangeFeedProcessorBuilder builder = new ChangeFeedProcessorBuilder()
            .hostName(host).feedContainer(feed).leaseContainer(leases).options(options);
        handle.accept(builder);
        return builder.buildChangeFeedProcessor();
    }

    private static void store(CosmosContainer container, int from, int to) {
        List<CosmosItemOperation> operations = new ArrayList<>();
        for (int n = from; n < to; n += 1) {
            String key = "k" + n % 97;
            operations.add(CosmosBulkOperations.getCreateItemOperation(item("id", "" + n, "pk", key, "n", n), new PartitionKey(key)));
        }
        for (var answer : container.executeBulkOperations(operations)) {
            int status = answer.getResponse() == null ? 0 : answer.getResponse().getStatusCode();
            same(status, 201, "an item:");
        }
    }

    private static void await(String what, BooleanSupplier isSo) throws InterruptedException {
        Instant deadline = Instant.now().plus(Duration.ofSeconds(60));
        while (!isSo.getAsBoolean()) {
            if (Instant.now().isAfter(deadline)) throw new AssertionError("after a minute it is not so that " + what);
            Thread.sleep(50);
        }
    }

    /** Runs {@code stepward emulator split} or {@code merge} on the container of this check. */
    private static void stepward(Shop shop, String operation, String... rest) throws Exception {
        List<String> command = new ArrayList<>();
        shop.assignment().get("stepward").forEach(part -> command.add(part.asText()));
        command.addAll(List.of("emulator", operation, shop.database().getId() + "/orders"));
        command.addAll(List.of("--endpoint", shop.assignment().get("endpoint").asText()));
        command.addAll(List.of(rest));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        same(process.waitFor(), 0, said);
    }
}
