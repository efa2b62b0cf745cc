"""python program.py sync|aio ASSIGNMENT: runs the checks of the matrix with one of the two Python clients."""

import asyncio
import json
import platform
import sys

import azure.cosmos
import azure.cosmos.aio

import feeds
import items
import queries
import settings
from matrix import done, report, run


async def main(kind, path):
    with open(path, encoding="utf-8") as file:
        assignment = json.load(file)
    report(version=azure.cosmos.__version__, runtime=f"Python {platform.python_version()}")
    make = azure.cosmos.CosmosClient if kind == "sync" else azure.cosmos.aio.CosmosClient
    endpoint, key = assignment["endpoint"], assignment["key"]

    async def connected(other_key=key):
        # The asynchronous client reads the account only when it is entered.
        client = make(endpoint, other_key)
        return await client.__aenter__() if kind == "aio" else client

    client = await connected()
    await run(client, assignment["checks"], queries=assignment["queries"], connected=connected)
    await done(client.close())


if __name__ == "__main__":
    assert feeds and items and queries and settings, "importing these modules registers their checks"
    asyncio.run(main(*sys.argv[1:]))
