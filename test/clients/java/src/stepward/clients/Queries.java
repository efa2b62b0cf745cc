package stepward.clients;

import static stepward.clients.Matrix.check;
import static stepward.clients.Matrix.same;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of queries. This client asks for a plan before each query. */
final class Queries {
    private static final List<String> ROWS = List.of("filter", "order-by", "top", "offset-limit", "distinct",
        "distinct-falsy", "group-by", "aggregates", "composed", "join", "vector", "hybrid");

    static void register() {
        for (String row : ROWS) {
            check(row, shop -> {
                for (JsonNode one : shop.assignment().get("queries")) {
                    if (one.get("check").asText().equals(row)) compare(shop, one);
                }
            });
        }
        check("paging", Queries::paging);
        check("plan", Queries::plan);
    }

    private static CosmosContainer stored(CosmosClient client, String name) {
        return client.getDatabase("queries").getContainer(name);
    }

    private static void compare(Shop shop, JsonNode one) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        if (one.has("key")) options.setPartitionKey(new PartitionKey(one.get("key").asText()));
        List<SqlParameter> parameters = new ArrayList<>();
        for (JsonNode named : one.get("parameters")) {
            parameters.add(new SqlParameter(named.get("name").asText(), named.get("value")));
        }
        SqlQuerySpec spec = new SqlQuerySpec(one.get("query").asText(), parameters);
        List<JsonNode> found = stored(shop.client(), one.get("container").asText())
            .queryItems(spec, options, JsonNode.class).stream().toList();
        List<JsonNode> expected = new ArrayList<>();
        one.get("rows").forEach(expected::add);
        boolean isOrdered = one.get("isOrdered").asBoolean();
        same(texts(found, isOrdered), texts(expected, isOrdered), one.get("query").asText() + ":");
    }

    private static List<String> texts(List<JsonNode> rows, boolean isOrdered) {
        var texts = rows.stream().map(row -> Matrix.plain(row).toString());
        return isOrdered ? texts.toList() : texts.sorted().toList();
    }

    private static void paging(Shop shop) {
        String query = "SELECT VALUE c.n FROM c ORDER BY c.n";
        List<Integer> found = new ArrayList<>();
        String token = null;
        do {
            try (CosmosClient other = Shop.connected(shop.assignment(), shop.assignment().get("key").asText())) {
                FeedResponse<Integer> page = stored(other, "orders")
                    .queryItems(query, new CosmosQueryRequestOptions(), Integer.class)
                    .iterableByPage(token, 25).iterator().next();
                same(page.getResults().size() <= 25, true);
                found.addAll(page.getResults());
                token = page.getContinuationToken();
            }
        } while (token != null);
        List<Integer> expected = new ArrayList<>();
        for (int n = 0; n < 90; n += 1) expected.add(n);
        same(found, expected);
        CosmosQueryRequestOptions ofKey = new CosmosQueryRequestOptions().setPartitionKey(new PartitionKey("k0"));
        List<Integer> sizes = new ArrayList<>();
        stored(shop.client(), "orders").queryItems("SELECT * FROM c", ofKey, JsonNode.class)
            .iterableByPage(3).forEach(page -> sizes.add(page.getResults().size()));
        same(sizes.stream().filter(size -> size > 0).toList(), List.of(3, 3, 1));
    }

    /** The diagnostics name the ranges that the client asked. */
    private static void plan(Shop shop) {
        String query = "SELECT * FROM c WHERE c.pk = 'k1' ORDER BY c.n";
        TreeSet<String> ranges = new TreeSet<>();
        List<JsonNode> rows = new ArrayList<>();
        for (var page : stored(shop.client(), "orders").queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class).iterableByPage()) {
            rows.addAll(page.getResults());
            Matcher named = Pattern.compile("\"partitionKeyRangeId\":\"(\\d+)\"").matcher(page.getCosmosDiagnostics().toString());
            while (named.find()) ranges.add(named.group(1));
        }
        same(rows.size(), 7);
        same(ranges.size(), 1, "ranges " + ranges);
    }
}
