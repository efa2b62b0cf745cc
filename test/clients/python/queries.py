"""Checks of queries. The rows that must come back are part of the assignment."""

import inspect
import json

from matrix import check, done, first_page, page_sizes, rows, same, unsupported

unsupported["group-by"] = "the client cannot merge GROUP BY over several ranges"


def stored(shop, name):
    """Returns a container that the matrix filled before."""
    return shop.client.get_database_client("queries").get_container_client(name)


def plain(row):
    """Leaves out the properties of the system."""
    if not isinstance(row, dict):
        return row
    return {name: value for name, value in row.items() if not name.startswith("_")}


def text_of(row):
    return json.dumps(row, sort_keys=True)


def across(container):
    """The asynchronous client queries all keys without being asked, and does not know the argument."""
    return {} if inspect.iscoroutinefunction(container.read) else {"enable_cross_partition_query": True}


def compare(case, found):
    found, expected = [plain(row) for row in found], case["rows"]
    if not case["isOrdered"]:
        found, expected = sorted(found, key=text_of), sorted(expected, key=text_of)
    assert found == expected, f"{case['query']}: found {found!r}, expected {expected!r}"


def answer_to(shop, case):
    container = stored(shop, case["container"])
    where = {"partition_key": case["key"]} if "key" in case else across(container)
    return container.query_items(case["query"], parameters=case["parameters"], **where)


def check_queries(name):
    @check(name)
    async def run_cases(shop, queries):
        for case in queries:
            if case["check"] == name:
                compare(case, await rows(answer_to(shop, case)))


for row_name in [
    "filter",
    "order-by",
    "top",
    "offset-limit",
    "distinct",
    "distinct-falsy",
    "aggregates",
    "composed",
    "join",
    "vector",
    "hybrid",
]:
    check_queries(row_name)


@check("paging")
async def paging(shop, connected):
    text = "SELECT VALUE c.id FROM c"
    settings = {**across(stored(shop, "orders")), "max_item_count": 12}
    whole = await rows(stored(shop, "orders").query_items(text, **settings))
    page, token = await first_page(stored(shop, "orders").query_items(text, **settings).by_page())
    assert 0 < len(page) <= 12 and token, f"{len(page)} rows, token {token!r}"
    other = await connected()
    container = other.get_database_client("queries").get_container_client("orders")
    rest = await rows(container.query_items(text, **settings).by_page(token))
    rest = [row for one in rest for row in await rows(one)]
    await done(other.close())
    same(sorted(page + rest), sorted(whole))
    same(len(whole), 90)
    of_key = stored(shop, "orders").query_items("SELECT * FROM c", partition_key="k0", max_item_count=3)
    sizes = await page_sizes(of_key.by_page())
    same([size for size in sizes if size], [3, 3, 1])


@check("plan")
async def plan(shop):
    container = stored(shop, "orders")
    question = {"query": "SELECT * FROM c WHERE c.pk = 'k1' ORDER BY c.n", "parameters": []}
    connection = container.client_connection
    found = await done(connection._GetQueryPlanThroughGateway(question, container.container_link))
    same(len(found["queryRanges"]), 1)
    same(found["queryRanges"][0]["isMaxInclusive"], True)
    same(found["queryRanges"][0]["min"], found["queryRanges"][0]["max"])
