/**
 * `node program.js NODE_MODULES ASSIGNMENT` runs the checks of the matrix with the `@azure/cosmos` of a
 * folder.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { QueryCase } from '../query-cases.js'
import './feeds.js'
import './items.js'
import './queries.js'
import { print, report, type Cosmos } from './registry.js'
import './settings.js'

interface Assignment {
  readonly endpoint: string
  readonly key: string
  readonly checks: readonly string[]
  readonly queries: readonly QueryCase[]
}

const [modules = 'node_modules', path = ''] = process.argv.slice(2)
const folder = resolve(modules, '@azure', 'cosmos')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  version: string
  main: string
}
const cosmos = (await import(pathToFileURL(join(folder, manifest.main)).href)) as Cosmos
const { endpoint, key, checks, queries } = JSON.parse(readFileSync(path, 'utf8')) as Assignment
const consistencyLevel = 'Session' as never
const connected = (otherKey = key) => new cosmos.CosmosClient({ endpoint, key: otherKey, consistencyLevel })

print({ version: manifest.version, runtime: `Node ${process.versions.node}` })
const client = connected()
for (const name of checks) await report(name, { cosmos, client, connected, queries })
client.dispose()
