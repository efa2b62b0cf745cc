"""Registers the checks of the matrix, runs them and prints a line of JSON for each."""

import inspect
import json
import sys
import traceback

from azure.cosmos import PartitionKey, exceptions

checks = {}
unsupported = {}


def check(name):
    """Registers the check of a row."""

    def register(function):
        checks[name] = function
        return function

    return register


async def done(answer):
    """Returns the answer of a call. The asynchronous client must be awaited, the other client not."""
    return await answer if inspect.isawaitable(answer) else answer


async def rows(items):
    """Returns the items of an iterator of either client."""
    if hasattr(items, "__aiter__"):
        return [item async for item in items]
    return list(items)


async def first_page(paged):
    """Returns the first page of an iterator by pages, and the token that continues it."""
    page = await paged.__anext__() if hasattr(paged, "__anext__") else next(paged)
    return await rows(page), paged.continuation_token


async def page_sizes(paged):
    """Returns the sizes of all pages."""
    if hasattr(paged, "__aiter__"):
        return [len(await rows(page)) async for page in paged]
    return [len(list(page)) for page in paged]


async def refused(status, call, *arguments, substatus=None, **named):
    """Calls, and demands that the call is refused with this status. Returns the error."""
    try:
        answer = call(*arguments, **named)
        if inspect.isawaitable(answer):
            answer = await answer
        elif hasattr(answer, "__aiter__") or hasattr(answer, "by_page"):
            answer = await rows(answer)
    except exceptions.CosmosHttpResponseError as error:
        assert error.status_code == status, f"status {error.status_code}, not {status}: {error}"
        assert substatus is None or error.sub_status == substatus, f"sub-status {error.sub_status}"
        return error
    raise AssertionError(f"was answered {answer!r} instead of refused with {status}")


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def ids(items):
    return [item["id"] for item in items]


class Shop:
    """A database of its own for one check, and the client that created it."""

    def __init__(self, client, database):
        self.client = client
        self.database = database

    async def container(self, name="orders", key="/pk", **settings):
        partition_key = PartitionKey(path=key, kind="MultiHash" if isinstance(key, list) else "Hash")
        return await done(self.database.create_container(name, partition_key=partition_key, **settings))


def report(**line):
    print(json.dumps(line), flush=True)


async def run(client, chosen, **given):
    """Runs the chosen checks one after another. Each check has a database of its own, so it can fail alone."""
    for name in chosen:
        if name in unsupported:
            report(check=name, outcome="unsupported", reason=unsupported[name])
            continue
        if name not in checks:
            continue
        try:
            shop = Shop(client, await done(client.create_database(name)))
            await checks[name](shop, **{key: given[key] for key in given if key in inspect.signature(checks[name]).parameters})
            report(check=name, outcome="ok")
        except Exception as error:  # A failure of one check must not end the others.
            traceback.print_exc(file=sys.stderr)
            report(check=name, outcome="fails", reason=f"{type(error).__name__}: {error}")
