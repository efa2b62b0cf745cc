package stepward.clients;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Registers the checks of the matrix, runs them and prints a line of JSON for each. */
final class Matrix {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final Map<String, Check> CHECKS = new HashMap<>();

    interface Check {
        void run(Shop shop) throws Exception;
    }

    static void check(String name, Check check) {
        CHECKS.put(name, check);
    }

    /** Runs a check in a database of its own. */
    static void run(String name, CosmosClient client, JsonNode assignment) throws Exception {
        Check check = CHECKS.get(name);
        if (check == null) return;
        try {
            client.createDatabase(name);
            check.run(new Shop(client, client.getDatabase(name), assignment));
            print("check", name, "outcome", "ok");
        } catch (CosmosException error) {
            error.printStackTrace();
            print("check", name, "outcome", "fails", "reason", error.getShortMessage() + " " + error.getStatusCode());
        } catch (Exception | AssertionError error) {
            error.printStackTrace();
            print("check", name, "outcome", "fails", "reason", error.toString());
        }
    }

    static void print(String... namesAndValues) throws Exception {
        ObjectNode line = JSON.createObjectNode();
        for (int at = 0; at < namesAndValues.length; at += 2) line.put(namesAndValues[at], namesAndValues[at + 1]);
        System.out.println(JSON.writeValueAsString(line));
    }

    /** Demands that a call is refused with this status, and returns the error. */
    static CosmosException refused(int status, Runnable call) {
        try {
            call.run();
        } catch (CosmosException error) {
            if (error.getStatusCode() == status) return error;
            throw new AssertionError("status " + error.getStatusCode() + ", expected " + status, error);
        }
        throw new AssertionError("a call was answered instead of refused with " + status);
    }

    static void same(Object found, Object expected) {
        same(found, expected, "");
    }

    /** Compares values as JSON does, so that 1 and 1.0 are equal. */
    static void same(Object found, Object expected, String what) {
        JsonNode one = plain(JSON.valueToTree(found));
        JsonNode other = plain(JSON.valueToTree(expected));
        if (!one.equals(other)) throw new AssertionError(what + " found " + one + ", expected " + other);
    }

    /** Returns every number as a double, and leaves out the properties of the system. */
    static JsonNode plain(JsonNode value) {
        if (value.isNumber()) return JSON.getNodeFactory().numberNode(value.doubleValue());
        if (value.isArray()) {
            ArrayNode array = JSON.createArrayNode();
            value.forEach(item -> array.add(plain(item)));
            return array;
        }
        if (!value.isObject()) return value;
        ObjectNode object = JSON.createObjectNode();
        List<String> names = new ArrayList<>();
        value.fieldNames().forEachRemaining(names::add);
        names.stream().sorted().filter(name -> !name.startsWith("_")).forEach(name -> object.set(name, plain(value.get(name))));
        return object;
    }

    /** Makes an item of names and values. */
    static ObjectNode item(Object... namesAndValues) {
        ObjectNode item = JSON.createObjectNode();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            item.set((String) namesAndValues[at], JSON.valueToTree(namesAndValues[at + 1]));
        }
        return item;
    }
}
