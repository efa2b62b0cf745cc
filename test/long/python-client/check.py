"""Drives the embedded Cosmos DB through the official Python client: python check.py ENDPOINT KEY

Every check makes containers of its own, so that each can fail alone. The last line says "N passed, N failed".
"""

import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey, ThroughputProperties, exceptions
from azure.cosmos.partition_key import NonePartitionKeyValue, NullPartitionKeyValue

checks = []


def check(function):
    checks.append(function)
    return function


class Shop:
    """A database of its own, and the client that made it."""

    def __init__(self, client, name):
        self.client = client
        self.database = client.create_database(name)

    def container(self, name="orders", key="/pk", **settings):
        partition_key = PartitionKey(path=key, kind="MultiHash" if isinstance(key, list) else "Hash")
        return self.database.create_container(name, partition_key=partition_key, **settings)


def refused(status, call, *arguments, substatus=None, **named):
    """Calls, and demands that the service refuses with this status."""
    try:
        result = call(*arguments, **named)
        if hasattr(result, "__iter__") and not isinstance(result, dict):
            result = list(result)
    except exceptions.CosmosHttpResponseError as error:
        assert error.status_code == status, f"status {error.status_code}, not {status}: {error}"
        assert substatus is None or error.sub_status == substatus, f"sub-status {error.sub_status}"
        return error
    raise AssertionError(f"was answered {result!r} instead of refused with {status}")


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def ids(items):
    return [item["id"] for item in items]


@check
def databases_and_containers(shop):
    database = shop.database
    same(database.read()["id"], database.id)
    assert database.id in ids(shop.client.list_databases())
    same(ids(shop.client.query_databases("SELECT * FROM d WHERE d.id = @id", [{"name": "@id", "value": database.id}])), [database.id])
    refused(409, shop.client.create_database, database.id)
    refused(404, shop.client.get_database_client("missing").read)
    container = shop.container(default_ttl=30, unique_key_policy={"uniqueKeys": [{"paths": ["/email"]}]})
    found = container.read()
    same(found["defaultTtl"], 30)
    same(found["partitionKey"], {"paths": ["/pk"], "kind": "Hash", "version": 2})
    same(found["uniqueKeyPolicy"], {"uniqueKeys": [{"paths": ["/email"]}]})
    same(found["indexingPolicy"]["indexingMode"], "consistent")
    same(ids(database.list_containers()), ["orders"])
    same(ids(database.query_containers("SELECT * FROM c WHERE c.id = 'orders'")), ["orders"])
    # This client leaves the unique keys out, which the service takes for a change of them.
    refused(403, database.replace_container, container, PartitionKey(path="/pk"), default_ttl=-1)
    plain = shop.container("plain", default_ttl=30)
    same(database.replace_container(plain, PartitionKey(path="/pk"), default_ttl=-1).read()["defaultTtl"], -1)
    database.delete_container(plain)
    refused(409, shop.container)
    database.delete_container("orders")
    refused(404, container.read)
    refused(404, container.read_item, "a", partition_key="a")
    shop.client.delete_database(database.id)
    refused(404, database.read)


@check
def items(shop):
    container = shop.container()
    created = container.create_item({"id": "1", "pk": "a", "n": 1})
    assert created["_etag"] and created["_rid"] and created["_ts"] > 0
    same(container.read_item("1", partition_key="a")["n"], 1)
    refused(409, container.create_item, {"id": "1", "pk": "a"})
    same(container.upsert_item({"id": "1", "pk": "a", "n": 2})["n"], 2)
    same(container.replace_item("1", {"id": "1", "pk": "a", "n": 3})["n"], 3)
    refused(404, container.replace_item, "2", {"id": "2", "pk": "a"})
    container.delete_item("1", partition_key="a")
    refused(404, container.read_item, "1", partition_key="a")
    refused(404, container.delete_item, "1", partition_key="a")
    refused(413, container.create_item, {"id": "big", "pk": "a", "text": "x" * 2_200_000})
    generated = container.create_item({"pk": "a"}, enable_automatic_id_generation=True)
    same(container.read_item(generated["id"], "a")["pk"], "a")


@check
def conditions(shop):
    container = shop.container()
    first = container.create_item({"id": "1", "pk": "a", "n": 1})
    second = container.replace_item("1", {"id": "1", "pk": "a", "n": 2})
    stale = {"etag": first["_etag"], "match_condition": MatchConditions.IfNotModified}
    fresh = {"etag": second["_etag"], "match_condition": MatchConditions.IfNotModified}
    refused(412, container.replace_item, "1", {"id": "1", "pk": "a", "n": 3}, **stale)
    refused(412, container.upsert_item, {"id": "1", "pk": "a", "n": 3}, **stale)
    refused(412, container.delete_item, "1", "a", **stale)
    same(container.replace_item("1", {"id": "1", "pk": "a", "n": 3}, **fresh)["n"], 3)
    absent = {"match_condition": MatchConditions.IfMissing}
    refused(409, container.create_item, {"id": "1", "pk": "a"})
    refused(412, container.replace_item, "1", {"id": "1", "pk": "a", "n": 4}, **absent)


@check
def no_response(shop):
    container = shop.container()
    shown = container.create_item({"id": "1", "pk": "a"}, no_response=True)
    same(dict(shown), {})
    same(container.read_item("1", "a")["id"], "1")


@check
def keys_of_every_type(shop):
    container = shop.container()
    keys = ["text", "ключ", "", 5, -1.5, 1e300, True, False, NullPartitionKeyValue]
    for index, key in enumerate(keys):
        value = None if key is NullPartitionKeyValue else key
        container.create_item({"id": "same", "pk": value, "index": index})
    container.create_item({"id": "same", "index": len(keys)})
    for index, key in enumerate([*keys, NonePartitionKeyValue]):
        same(container.read_item("same", partition_key=key)["index"], index)
        same([row["index"] for row in container.query_items("SELECT * FROM c", partition_key=key)], [index])
    container.delete_item("same", partition_key=NonePartitionKeyValue)
    refused(404, container.read_item, "same", partition_key=NonePartitionKeyValue)
    same(container.read_item("same", partition_key=NullPartitionKeyValue)["index"], len(keys) - 1)


@check
def legal_ids(shop):
    container = shop.container()
    for name in ["with space", "a+b", "100%", "%20", "ünï", "名前", "a&b=c", "quote'\"", "semi;colon", "<tag>", "a:b@c", "[x]", "{y}", "|", "~"]:
        container.create_item({"id": name, "pk": "a"})
        same(container.read_item(name, "a")["id"], name)
        container.replace_item(name, {"id": name, "pk": "a", "n": 1})
        container.patch_item(name, "a", [{"op": "incr", "path": "/n", "value": 1}])
        same(container.read_item(name, "a")["n"], 2)
        container.delete_item(name, "a")


@check
def patch(shop):
    container = shop.container()
    container.create_item({"id": "1", "pk": "a", "n": 1, "list": [1, 2], "gone": 1, "old": "v"})
    operations = [
        {"op": "add", "path": "/list/1", "value": 9},
        {"op": "set", "path": "/state", "value": "open"},
        {"op": "replace", "path": "/n", "value": 5},
        {"op": "incr", "path": "/n", "value": 2},
        {"op": "remove", "path": "/gone"},
        {"op": "move", "from": "/old", "path": "/new"},
    ]
    patched = container.patch_item("1", "a", operations)
    same({name: value for name, value in patched.items() if name[0] != "_"}, {"id": "1", "pk": "a", "n": 7, "list": [1, 9, 2], "state": "open", "new": "v"})
    close = [{"op": "set", "path": "/state", "value": "closed"}]
    refused(412, container.patch_item, "1", "a", close, filter_predicate="from c where c.state = 'Open'")
    same(container.patch_item("1", "a", close, filter_predicate="from c where c.state = 'open'")["state"], "closed")
    refused(400, container.patch_item, "1", "a", [{"op": "incr", "path": "/n", "value": 1}] * 11)
    refused(400, container.patch_item, "1", "a", [{"op": "set", "path": "/pk", "value": "b"}])
    refused(400, container.patch_item, "1", "a", [{"op": "replace", "path": "/nothing", "value": 1}])
    refused(404, container.patch_item, "2", "a", close)


@check
def batches(shop):
    container = shop.container()
    results = container.execute_item_batch(
        [
            ("create", ({"id": "1", "pk": "a", "n": 1},)),
            ("upsert", ({"id": "2", "pk": "a"},)),
            ("read", ("1",)),
            ("replace", ("2", {"id": "2", "pk": "a", "n": 2})),
            ("patch", ("1", [{"op": "incr", "path": "/n", "value": 5}])),
            ("delete", ("2",)),
        ],
        partition_key="a",
    )
    same([result["statusCode"] for result in results], [201, 201, 200, 200, 200, 204])
    same(container.read_item("1", "a")["n"], 6)
    try:
        container.execute_item_batch([("create", ({"id": "3", "pk": "a"},)), ("create", ({"id": "1", "pk": "a"},)), ("delete", ("1",))], "a")
        raise AssertionError("a batch that collides was accepted")
    except exceptions.CosmosBatchOperationError as error:
        same(error.error_index, 1)
        same([result["statusCode"] for result in error.operation_responses], [424, 409, 424])
    refused(404, container.read_item, "3", "a")
    try:
        container.execute_item_batch([("delete", ("1",), {"if_match_etag": '"nothing"'})], "a")
        raise AssertionError("a batch with a stale etag was accepted")
    except exceptions.CosmosBatchOperationError as error:
        same(error.operation_responses[0]["statusCode"], 412)
    refused(400, container.execute_item_batch, [("create", ({"id": f"m{n}", "pk": "a"},)) for n in range(101)], "a")


@check
def queries_of_one_key(shop):
    container = shop.container()
    for n in range(30):
        container.create_item({"id": f"{n:02}", "pk": "a", "n": n, "even": n % 2 == 0, "tags": [f"t{n % 3}"]})
    container.create_item({"id": "elsewhere", "pk": "b", "n": 1000})

    def query(text, **parameters):
        named = [{"name": f"@{name}", "value": value} for name, value in parameters.items()]
        return list(container.query_items(text, parameters=named, partition_key="a"))

    same(query("SELECT VALUE COUNT(1) FROM c"), [30])
    same(query("SELECT VALUE SUM(c.n) FROM c WHERE c.even"), [210])
    same(query("SELECT VALUE c.n FROM c WHERE c.n > @low ORDER BY c.n DESC OFFSET 1 LIMIT 2", low=20), [28, 27])
    same(query("SELECT TOP 2 c.id, c.n * 2 AS twice FROM c ORDER BY c.n"), [{"id": "00", "twice": 0}, {"id": "01", "twice": 2}])
    same(query("SELECT VALUE c.id FROM c WHERE c.n IN (3, 5) AND ARRAY_CONTAINS(c.tags, 't0')"), ["03"])
    same(query("SELECT VALUE c.n FROM c WHERE c.n BETWEEN 4 AND 6"), [4, 5, 6])
    same(query("SELECT DISTINCT VALUE c.even FROM c"), [True, False])
    same(query("SELECT VALUE c.id FROM c WHERE c.missing = 1 OR NOT IS_DEFINED(c.n)"), [])
    pages = container.query_items("SELECT * FROM c", partition_key="a", max_item_count=12).by_page()
    sizes = [len(list(page)) for page in pages]
    same(sizes, [12, 12, 6])
    first = container.query_items("SELECT * FROM c", partition_key="a", max_item_count=12).by_page()
    same(len(list(next(first))), 12)
    rest = container.query_items("SELECT * FROM c", partition_key="a", max_item_count=12).by_page(first.continuation_token)
    same(sum(len(list(page)) for page in rest), 18)
    refused(400, container.query_items, "SELEC * FROM c", partition_key="a")
    same(len(list(container.read_all_items())), 31)


@check
def queries_of_feed_ranges(shop):
    container = shop.container(offer_throughput=30_000)
    for n in range(40):
        container.create_item({"id": str(n), "pk": n})
    ranges = list(container.read_feed_ranges())
    same(len(ranges), 3)
    found = [ids(container.query_items("SELECT * FROM c", feed_range=one)) for one in ranges]
    assert all(found), "a range is empty"
    same(sorted(sum(found, []), key=int), [str(n) for n in range(40)])


@check
def queries_across_keys(shop):
    container = shop.container(offer_throughput=30_000)
    for n in range(40):
        container.create_item({"id": str(n), "pk": n})
    rows = container.query_items("SELECT * FROM c WHERE c.pk < 20", enable_cross_partition_query=True)
    same(sorted(int(row["id"]) for row in rows), list(range(20)))


@check
def read_many(shop):
    container = shop.container(offer_throughput=30_000)
    for n in range(40):
        container.create_item({"id": str(n), "pk": n % 7})
    wanted = [(str(n), n % 7) for n in range(0, 40, 2)] + [("missing", 1)]
    found = container.read_items(wanted)
    same(sorted(ids(found), key=int), [str(n) for n in range(0, 40, 2)])


def drained(container, **start):
    """Everything the feed has from there, and the token to go on from."""
    feed = container.query_items_change_feed(**start)
    changes = list(feed)
    return changes, container.client_connection.last_response_headers["etag"]


@check
def change_feed_of_a_container(shop):
    container = shop.container(offer_throughput=30_000)
    for n in range(50):
        container.create_item({"id": str(n), "pk": n})
    changes, token = drained(container, start_time="Beginning", max_item_count=7)
    same(sorted(ids(changes), key=int), [str(n) for n in range(50)])
    same(drained(container, continuation=token)[0], [])
    container.upsert_item({"id": "3", "pk": 3, "again": True})
    container.create_item({"id": "50", "pk": 50})
    container.delete_item("4", 4)
    changes, _ = drained(container, continuation=token)
    same(sorted(ids(changes)), ["3", "50"])
    _, now = drained(container, start_time="Now")
    container.create_item({"id": "51", "pk": 51})
    same(ids(drained(container, continuation=now)[0]), ["51"])


@check
def change_feed_of_keys_and_ranges(shop):
    container = shop.container(offer_throughput=30_000)
    for n in range(40):
        container.create_item({"id": str(n), "pk": n % 4})
    changes, token = drained(container, start_time="Beginning", partition_key=1)
    same(sorted(int(change["id"]) for change in changes), list(range(1, 40, 4)))
    container.create_item({"id": "41", "pk": 1})
    container.create_item({"id": "42", "pk": 2})
    same(ids(drained(container, continuation=token)[0]), ["41"])
    own = container.feed_range_from_partition_key(2)
    changes, _ = drained(container, start_time="Beginning", feed_range=own)
    same(sorted(int(change["id"]) for change in changes), [*range(2, 40, 4), 42])
    found = []
    for one in container.read_feed_ranges():
        found += ids(drained(container, start_time="Beginning", feed_range=one)[0])
    same(len(found), 42)
    same(len(set(found)), 42)


@check
def all_versions_and_deletes(shop):
    container = shop.container(change_feed_policy={"retentionDuration": 10}, offer_throughput=30_000)
    _, token = drained(container, mode="AllVersionsAndDeletes")
    container.create_item({"id": "1", "pk": "a", "n": 1})
    container.upsert_item({"id": "1", "pk": "a", "n": 2})
    container.delete_item("1", "a")
    changes, _ = drained(container, mode="AllVersionsAndDeletes", continuation=token)
    same([change["metadata"]["operationType"] for change in changes], ["create", "replace", "delete"])
    same([change["current"].get("n") for change in changes], [1, 2, None])
    same([change.get("previous", {}).get("n") for change in changes], [None, 1, 2])


@check
def throughput(shop):
    container = shop.container(offer_throughput=500)
    same(container.get_throughput().offer_throughput, 500)
    same(container.replace_throughput(25_000).offer_throughput, 25_000)
    same(container.get_throughput().offer_throughput, 25_000)
    scaled = shop.container("scaled", offer_throughput=ThroughputProperties(auto_scale_max_throughput=4_000))
    same(scaled.get_throughput().auto_scale_max_throughput, 4_000)
    scaled.replace_throughput(ThroughputProperties(auto_scale_max_throughput=5_000))
    same(scaled.get_throughput().auto_scale_max_throughput, 5_000)
    same(len(list(container.read_feed_ranges())), 3)
    shared = shop.client.create_database(shop.database.id + "-shared", offer_throughput=1000)
    same(shared.get_throughput().offer_throughput, 1000)
    shared.create_container("part", PartitionKey(path="/pk")).create_item({"id": "1", "pk": "a"})


@check
def time_to_live(shop):
    container = shop.container(default_ttl=-1)
    container.create_item({"id": "short", "pk": "a", "ttl": 1})
    container.create_item({"id": "long", "pk": "a"})
    deadline = time.monotonic() + 10
    while len(list(container.read_all_items())) > 1:
        assert time.monotonic() < deadline, "the document did not expire"
        time.sleep(0.1)
    refused(404, container.read_item, "short", "a")
    same(ids(container.read_all_items()), ["long"])


@check
def hierarchical_keys(shop):
    container = shop.container(key=["/tenant", "/user", "/session"], offer_throughput=30_000)
    for tenant in "ab":
        for user in "xyz":
            for session in range(4):
                container.create_item({"id": f"{tenant}{user}{session}", "tenant": tenant, "user": user, "session": session})
    same(container.read_item("ax1", ["a", "x", 1])["id"], "ax1")
    refused(404, container.read_item, "ax1", ["a", "x", 2])
    prefix = ["a", "x"]
    same(sorted(ids(container.query_items("SELECT * FROM c", partition_key=prefix))), ["ax0", "ax1", "ax2", "ax3"])
    same(len(list(container.query_items("SELECT * FROM c", partition_key=["b"]))), 12)
    same(len(list(container.query_items("SELECT * FROM c WHERE c.session = 2", partition_key=["b"]))), 3)
    changes, _ = drained(container, start_time="Beginning", partition_key=prefix)
    same(sorted(ids(changes)), ["ax0", "ax1", "ax2", "ax3"])
    container.delete_item("ax1", ["a", "x", 1])
    same(len(list(container.query_items("SELECT * FROM c", partition_key=prefix))), 3)


@check
def unique_keys(shop):
    container = shop.container(unique_key_policy={"uniqueKeys": [{"paths": ["/email"]}]})
    container.create_item({"id": "1", "pk": "a", "email": "x"})
    refused(409, container.create_item, {"id": "2", "pk": "a", "email": "x"})
    container.create_item({"id": "2", "pk": "b", "email": "x"})


@check
def delete_by_partition_key(shop):
    container = shop.container()
    for n in range(20):
        container.create_item({"id": str(n), "pk": n % 2})
    container.delete_all_items_by_partition_key(1)
    same(len(list(container.read_all_items())), 10)


@check
def sessions_and_headers(shop):
    container = shop.container()
    container.create_item({"id": "1", "pk": "a"})
    headers = container.client_connection.last_response_headers
    assert float(headers["x-ms-request-charge"]) > 0
    token = headers["x-ms-session-token"]
    same(container.read_item("1", "a", session_token=token)["id"], "1")
    latest = container.get_latest_session_token([(container.feed_range_from_partition_key("a"), token)], container.feed_range_from_partition_key("a"))
    same(latest, token)


@check
def many_at_once(shop):
    container = shop.container()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: container.upsert_item({"id": str(n), "pk": n % 5}), range(200)))
    same(len(list(container.read_all_items())), 200)


@check
def unsupported_is_said(shop):
    container = shop.container()
    for refusal in [
        refused(501, container.scripts.create_stored_procedure, {"id": "s", "body": "function () {}"}),
        refused(501, container.scripts.create_trigger, {"id": "t", "body": "function () {}", "triggerType": "Pre", "triggerOperation": "All"}),
        refused(501, container.scripts.create_user_defined_function, {"id": "u", "body": "function () {}"}),
        refused(501, shop.database.create_user, {"id": "u"}),
        refused(501, container.list_conflicts),
    ]:
        assert "embedded Cosmos DB" in str(refusal), str(refusal)


def main():
    endpoint, key = sys.argv[1:3]
    chosen = sys.argv[3:]
    client = CosmosClient(endpoint, key)
    failures = 0
    ran = [one for one in checks if not chosen or one.__name__ in chosen]
    for one in ran:
        try:
            one(Shop(client, one.__name__.replace("_", "-")))
            print(f"ok      {one.__name__}")
        except Exception:
            failures += 1
            print(f"FAILED  {one.__name__}\n{traceback.format_exc(limit=-3)}")
    print(f"{len(ran) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
