"""Checks of items, batches, patches and keys."""

import time

from azure.core import MatchConditions
from azure.cosmos import exceptions
from azure.cosmos.partition_key import NonePartitionKeyValue, NullPartitionKeyValue

from matrix import check, done, ids, refused, rows, same, unsupported

unsupported["bulk"] = "the client has no bulk operations"


@check("items")
async def items(shop):
    container = await shop.container()
    created = await done(container.create_item({"id": "1", "pk": "a", "n": 1}))
    assert created["_etag"] and created["_rid"] and created["_ts"] > 0
    same((await done(container.read_item("1", "a")))["n"], 1)
    await refused(409, container.create_item, {"id": "1", "pk": "a"})
    same((await done(container.upsert_item({"id": "1", "pk": "a", "n": 2})))["n"], 2)
    same((await done(container.replace_item("1", {"id": "1", "pk": "a", "n": 3})))["n"], 3)
    await refused(404, container.replace_item, "2", {"id": "2", "pk": "a"})
    shown = await done(container.upsert_item({"id": "2", "pk": "a"}, no_response=True))
    same(dict(shown), {})
    same(sorted(ids(await rows(container.read_all_items()))), ["1", "2"])
    await done(container.delete_item("1", "a"))
    await refused(404, container.read_item, "1", "a")
    await refused(404, container.delete_item, "1", "a")
    generated = await done(container.create_item({"pk": "a"}, enable_automatic_id_generation=True))
    same((await done(container.read_item(generated["id"], "a")))["pk"], "a")


@check("etags")
async def etags(shop):
    container = await shop.container()
    first = await done(container.create_item({"id": "1", "pk": "a", "n": 1}))
    second = await done(container.replace_item("1", {"id": "1", "pk": "a", "n": 2}))
    stale = {"etag": first["_etag"], "match_condition": MatchConditions.IfNotModified}
    fresh = {"etag": second["_etag"], "match_condition": MatchConditions.IfNotModified}
    await refused(412, container.replace_item, "1", {"id": "1", "pk": "a", "n": 3}, **stale)
    await refused(412, container.upsert_item, {"id": "1", "pk": "a", "n": 3}, **stale)
    await refused(412, container.delete_item, "1", "a", **stale)
    same((await done(container.replace_item("1", {"id": "1", "pk": "a", "n": 3}, **fresh)))["n"], 3)
    await refused(412, container.replace_item, "1", {"id": "1", "pk": "a"}, match_condition=MatchConditions.IfMissing)


@check("keys")
async def keys(shop):
    container = await shop.container()
    values = ["text", "ключ", "", 5, -1.5, 1e300, True, False, None]
    for index, value in enumerate(values):
        await done(container.create_item({"id": "same", "pk": value, "index": index}))
    await done(container.create_item({"id": "same", "index": len(values)}))
    for index, key in enumerate([*values[:-1], NullPartitionKeyValue, NonePartitionKeyValue]):
        same((await done(container.read_item("same", partition_key=key)))["index"], index)
        found = await rows(container.query_items("SELECT * FROM c", partition_key=key))
        same([row["index"] for row in found], [index])
    await done(container.delete_item("same", partition_key=NonePartitionKeyValue))
    await refused(404, container.read_item, "same", partition_key=NonePartitionKeyValue)
    same((await done(container.read_item("same", partition_key=NullPartitionKeyValue)))["index"], len(values) - 1)


@check("unicode")
async def unicode(shop):
    container = await shop.container()
    names = ["with space", "a+b", "100%", "%20", "ünï", "名前", "a&b=c", "quote'\"", "😀", "<tag>", "a:b@c", "[x]", "~"]
    for name in names:
        await done(container.create_item({"id": name, "pk": name, "text": name * 3}))
        same((await done(container.read_item(name, name)))["text"], name * 3)
        await done(container.replace_item(name, {"id": name, "pk": name, "n": 1}))
        await done(container.patch_item(name, name, [{"op": "incr", "path": "/n", "value": 1}]))
        same((await done(container.read_item(name, name)))["n"], 2)
        found = container.query_items("SELECT * FROM c WHERE c.id = @id", parameters=[{"name": "@id", "value": name}], partition_key=name)
        same(ids(await rows(found)), [name])
        await done(container.delete_item(name, name))


@check("big-documents")
async def big_documents(shop):
    container = await shop.container()
    text = "x" * 1_900_000
    await done(container.create_item({"id": "big", "pk": "a", "text": text}))
    same((await done(container.read_item("big", "a")))["text"], text)
    await refused(413, container.create_item, {"id": "bigger", "pk": "a", "text": text + "x" * 300_000})


@check("patch")
async def patch(shop):
    container = await shop.container()
    await done(container.create_item({"id": "1", "pk": "a", "n": 1, "list": [1, 2], "gone": 1, "old": "v"}))
    operations = [
        {"op": "add", "path": "/list/1", "value": 9},
        {"op": "set", "path": "/state", "value": "open"},
        {"op": "replace", "path": "/n", "value": 5},
        {"op": "incr", "path": "/n", "value": 2},
        {"op": "remove", "path": "/gone"},
        {"op": "move", "from": "/old", "path": "/new"},
    ]
    patched = await done(container.patch_item("1", "a", operations))
    own = {name: value for name, value in patched.items() if name[0] != "_"}
    same(own, {"id": "1", "pk": "a", "n": 7, "list": [1, 9, 2], "state": "open", "new": "v"})
    close = [{"op": "set", "path": "/state", "value": "closed"}]
    await refused(412, container.patch_item, "1", "a", close, filter_predicate="from c where c.state = 'Open'")
    closed = await done(container.patch_item("1", "a", close, filter_predicate="from c where c.state = 'open'"))
    same(closed["state"], "closed")
    await refused(400, container.patch_item, "1", "a", [{"op": "incr", "path": "/n", "value": 1}] * 11)
    await refused(400, container.patch_item, "1", "a", [{"op": "set", "path": "/pk", "value": "b"}])
    await refused(400, container.patch_item, "1", "a", [{"op": "replace", "path": "/nothing", "value": 1}])
    await refused(404, container.patch_item, "2", "a", close)


async def failed_batch(container, operations):
    """Returns the answers to a batch that must fail."""
    try:
        await done(container.execute_item_batch(operations, "a"))
    except exceptions.CosmosBatchOperationError as error:
        return [answer["statusCode"] for answer in error.operation_responses]
    raise AssertionError(f"the batch {operations!r} was accepted")


@check("batch")
async def batch(shop):
    container = await shop.container()
    operations = [
        ("create", ({"id": "1", "pk": "a", "n": 1},)),
        ("upsert", ({"id": "2", "pk": "a"},)),
        ("read", ("1",)),
        ("replace", ("2", {"id": "2", "pk": "a", "n": 2})),
        ("patch", ("1", [{"op": "incr", "path": "/n", "value": 5}])),
        ("delete", ("2",)),
    ]
    answers = await done(container.execute_item_batch(operations, partition_key="a"))
    same([answer["statusCode"] for answer in answers], [201, 201, 200, 200, 200, 204])
    same((await done(container.read_item("1", "a")))["n"], 6)
    collision = [("create", ({"id": "3", "pk": "a"},)), ("create", ({"id": "1", "pk": "a"},)), ("delete", ("1",))]
    same(await failed_batch(container, collision), [424, 409, 424])
    await refused(404, container.read_item, "3", "a")
    same(await failed_batch(container, [("delete", ("1",), {"if_match_etag": '"nothing"'})]), [412])
    many = [("create", ({"id": f"m{n}", "pk": "a"},)) for n in range(101)]
    await refused(400, container.execute_item_batch, many, "a")


@check("read-many")
async def read_many(shop):
    container = await shop.container()
    for n in range(40):
        await done(container.create_item({"id": str(n), "pk": n % 7}))
    wanted = [(str(n), n % 7) for n in range(0, 40, 2)] + [("missing", 1)]
    found = await done(container.read_items(wanted))
    same(sorted(ids(found), key=int), [str(n) for n in range(0, 40, 2)])


@check("sessions")
async def sessions(shop):
    container = await shop.container()
    answer = await done(container.create_item({"id": "1", "pk": "a"}))
    headers = answer.get_response_headers()
    assert float(headers["x-ms-request-charge"]) > 0
    token = headers["x-ms-session-token"]
    same((await done(container.read_item("1", "a", session_token=token)))["id"], "1")
    feed_range = await done(container.feed_range_from_partition_key("a"))
    same(await done(container.get_latest_session_token([(feed_range, token)], feed_range)), token)
    partition, version, lsn = token.split(":")[0], *token.split(":")[1].split("#")
    ahead = f"{partition}:{version}#{int(lsn) + 1_000_000}"
    await refused(404, container.read_item, "1", "a", session_token=ahead, substatus=1002)


@check("time-to-live")
async def time_to_live(shop):
    container = await shop.container(default_ttl=-1)
    await done(container.create_item({"id": "short", "pk": "a", "ttl": 1}))
    await done(container.create_item({"id": "long", "pk": "a"}))
    deadline = time.monotonic() + 10
    while len(await rows(container.read_all_items())) > 1:
        assert time.monotonic() < deadline, "the document did not expire"
    await refused(404, container.read_item, "short", "a")


@check("delete-by-key")
async def delete_by_key(shop):
    container = await shop.container()
    for n in range(20):
        await done(container.create_item({"id": str(n), "pk": n % 2}))
    await done(container.delete_all_items_by_partition_key(1))
    same(sorted(int(name) for name in ids(await rows(container.read_all_items()))), list(range(0, 20, 2)))
