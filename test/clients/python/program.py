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
    client = make(endpoint, key)
    await run(
        client,
        assignment["checks"],
        queries=assignment["queries"],
        connected=lambda other: make(endpoint, other or key),
    )
    await done(client.close())


if __name__ == "__main__":
    assert feeds and items and queries and settings, "importing these modules registers their checks"
    asyncio.run(main(*sys.argv[1:]))
