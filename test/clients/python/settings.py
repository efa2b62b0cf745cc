"""Checks of accounts, databases, containers, throughput and errors."""

import base64

from azure.cosmos import PartitionKey, ThroughputProperties

from matrix import check, done, ids, refused, rows, same, unsupported


@check("connect")
async def connect(shop, connected):
    client = await connected()
    assert shop.database.id in ids(await rows(client.list_databases()))
    await done(client.close())
    await refused(401, connected, base64.b64encode(b"another key").decode())


@check("containers")
async def containers(shop):
    database = shop.database
    same((await done(database.read()))["id"], database.id)
    name = [{"name": "@id", "value": database.id}]
    found = shop.client.query_databases("SELECT * FROM d WHERE d.id = @id", parameters=name)
    same(ids(await rows(found)), [database.id])
    await refused(409, shop.client.create_database, database.id)
    await refused(404, shop.client.get_database_client("missing").read)
    container = await shop.container(default_ttl=30)
    properties = await done(container.read())
    same(properties["defaultTtl"], 30)
    same(properties["partitionKey"], {"paths": ["/pk"], "kind": "Hash", "version": 2})
    same(properties["indexingPolicy"]["indexingMode"], "consistent")
    same(ids(await rows(database.list_containers())), ["orders"])
    same(ids(await rows(database.query_containers("SELECT * FROM c WHERE c.id = 'orders'"))), ["orders"])
    replaced = await done(database.replace_container(container, PartitionKey(path="/pk"), default_ttl=-1))
    same((await done(replaced.read()))["defaultTtl"], -1)
    await refused(409, shop.container)
    await done(database.delete_container("orders"))
    await refused(404, container.read)
    await done(shop.client.delete_database(database.id))
    await refused(404, database.read)


@check("throughput")
async def throughput(shop):
    container = await shop.container(offer_throughput=500)
    same((await done(container.get_throughput())).offer_throughput, 500)
    same((await done(container.replace_throughput(900))).offer_throughput, 900)
    same((await done(container.get_throughput())).offer_throughput, 900)
    autoscale = ThroughputProperties(auto_scale_max_throughput=4_000)
    scaled = await shop.container("scaled", offer_throughput=autoscale)
    same((await done(scaled.get_throughput())).auto_scale_max_throughput, 4_000)
    await done(scaled.replace_throughput(ThroughputProperties(auto_scale_max_throughput=5_000)))
    same((await done(scaled.get_throughput())).auto_scale_max_throughput, 5_000)
    shared = await done(shop.client.create_database(shop.database.id + "-shared", offer_throughput=1000))
    same((await done(shared.get_throughput())).offer_throughput, 1000)


@check("unique-keys")
async def unique_keys(shop):
    container = await shop.container(unique_key_policy={"uniqueKeys": [{"paths": ["/email"]}]})
    same((await done(container.read()))["uniqueKeyPolicy"], {"uniqueKeys": [{"paths": ["/email"]}]})
    await done(container.create_item({"id": "1", "pk": "a", "email": "x"}))
    await refused(409, container.create_item, {"id": "2", "pk": "a", "email": "x"})
    await done(container.create_item({"id": "2", "pk": "b", "email": "x"}))
    # This client leaves the unique keys out of a replace, which the service takes for a change of them.
    await refused(403, shop.database.replace_container, container, PartitionKey(path="/pk"), default_ttl=-1)


@check("error-texts")
async def error_texts(shop):
    container = await shop.container()
    await done(container.create_item({"id": "1", "pk": "a"}))
    conflict = await refused(409, container.create_item, {"id": "1", "pk": "a"})
    assert "Conflict" in str(conflict), str(conflict)
    missing = await refused(404, container.read_item, "2", "a")
    assert "NotFound" in str(missing), str(missing)
    syntax = await refused(400, container.query_items, "SELEC * FROM c", partition_key="a")
    assert "Syntax error" in str(syntax), str(syntax)
    unknown = await refused(400, container.query_items, "SELECT VALUE NOSUCH(c.id) FROM c", partition_key="a")
    assert "NOSUCH" in str(unknown), str(unknown)


@check("refusals")
async def refusals(shop):
    container = await shop.container()
    body = {"id": "x", "body": "function () {}"}
    for call, definition in [
        (container.scripts.create_stored_procedure, body),
        (container.scripts.create_trigger, {**body, "triggerType": "Pre", "triggerOperation": "All"}),
        (container.scripts.create_user_defined_function, body),
    ]:
        refusal = await refused(501, call, definition)
        assert "embedded Cosmos DB" in str(refusal), str(refusal)


for processor_row in ["processor", "processor-latest", "processor-versions", "estimator"]:
    unsupported[processor_row] = "the client has no change feed processor"
