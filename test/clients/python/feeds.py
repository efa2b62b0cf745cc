"""Checks of the change feed, feed ranges and hierarchical keys."""

from matrix import check, done, ids, refused, rows, same


async def drained(container, **start):
    """Returns every change of the feed from a position, and the token that continues it."""
    changes = await rows(container.query_items_change_feed(**start))
    return changes, container.client_connection.last_response_headers["etag"]


async def numbered(container, count, key=lambda n: n):
    for n in range(count):
        await done(container.create_item({"id": str(n), "pk": key(n)}))


def numbers(items):
    return sorted(int(item["id"]) for item in items)


@check("change-feed")
async def change_feed(shop):
    container = await shop.container()
    await numbered(container, 50)
    changes, token = await drained(container, start_time="Beginning", max_item_count=7)
    same(numbers(changes), list(range(50)))
    same((await drained(container, continuation=token))[0], [])
    await done(container.upsert_item({"id": "3", "pk": 3, "again": True}))
    await done(container.create_item({"id": "50", "pk": 50}))
    await done(container.delete_item("4", 4))
    same(numbers((await drained(container, continuation=token))[0]), [3, 50])
    _, now = await drained(container, start_time="Now")
    await done(container.create_item({"id": "51", "pk": 51}))
    same(numbers((await drained(container, continuation=now))[0]), [51])


@check("feed-ranges")
async def feed_ranges(shop):
    container = await shop.container()
    await numbered(container, 40, lambda n: n % 11)
    ranges = await rows(container.read_feed_ranges())
    same(len(ranges), 3)
    queried, fed = [], []
    for one in ranges:
        queried += await rows(container.query_items("SELECT * FROM c", feed_range=one))
        fed += (await drained(container, start_time="Beginning", feed_range=one))[0]
    same(numbers(queried), list(range(40)))
    same(numbers(fed), list(range(40)))
    changes, token = await drained(container, start_time="Beginning", partition_key=1)
    same(numbers(changes), [1, 12, 23, 34])
    await done(container.create_item({"id": "41", "pk": 1}))
    await done(container.create_item({"id": "42", "pk": 2}))
    same(numbers((await drained(container, continuation=token))[0]), [41])
    own = await done(container.feed_range_from_partition_key(2))
    same(numbers((await drained(container, start_time="Beginning", feed_range=own))[0]), [2, 13, 24, 35, 42])


@check("all-versions")
async def all_versions(shop):
    container = await shop.container(change_feed_policy={"retentionDuration": 10})
    _, token = await drained(container, mode="AllVersionsAndDeletes")
    await done(container.create_item({"id": "1", "pk": "a", "n": 1}))
    await done(container.upsert_item({"id": "1", "pk": "a", "n": 2}))
    await done(container.delete_item("1", "a"))
    changes, _ = await drained(container, mode="AllVersionsAndDeletes", continuation=token)
    same([change["metadata"]["operationType"] for change in changes], ["create", "replace", "delete"])
    same([change["current"].get("n") for change in changes], [1, 2, None])
    same([change.get("previous", {}).get("n") for change in changes], [None, 1, 2])


@check("hierarchical-keys")
async def hierarchical_keys(shop):
    container = await shop.container(key=["/tenant", "/user", "/session"])
    for tenant in "ab":
        for user in "xyz":
            for session in range(4):
                name = f"{tenant}{user}{session}"
                await done(container.create_item({"id": name, "tenant": tenant, "user": user, "session": session}))
    same((await done(container.read_item("ax1", ["a", "x", 1])))["id"], "ax1")
    await refused(404, container.read_item, "ax1", ["a", "x", 2])
    prefix = ["a", "x"]
    names = ["ax0", "ax1", "ax2", "ax3"]
    same(sorted(ids(await rows(container.query_items("SELECT * FROM c", partition_key=prefix)))), names)
    same(len(await rows(container.query_items("SELECT * FROM c", partition_key=["b"]))), 12)
    same(len(await rows(container.query_items("SELECT * FROM c WHERE c.session = 2", partition_key=["b"]))), 3)
    changes, _ = await drained(container, start_time="Beginning", partition_key=prefix)
    same(sorted(ids(changes)), names)
    await done(container.delete_item("ax1", ["a", "x", 1]))
    same(len(await rows(container.query_items("SELECT * FROM c", partition_key=prefix))), 3)
