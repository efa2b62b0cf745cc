import { describe, expect, it } from 'vitest'
import { forbiddenImports, importTable } from './import-direction.js'
import { example } from './source.js'

function judge(path: string, text: string): string[] {
  return forbiddenImports([example(path, text)])
}

describe('import direction', () => {
  it.each([
    ['a room below', 'src/sas/scheduler.ts', `import { retry } from '../platform/index.js'`],
    ['its own room', 'src/sas/scheduler.ts', `import { schedule } from './schedule.js'`],
    ['another source root', 'src/host/host.ts', `import { selectLeases } from '../../lease-store/index.js'`],
    ['a package', 'lease-store/lease.ts', `import { z } from 'zod'`],
    [
      'types where the table says types',
      'src/emulator/ports.ts',
      `import type { StateStore } from '../sas/state-store.js'`,
    ],
    ['types by name', 'src/emulator/ports.ts', `import { type StateStore } from '../sas/state-store.js'`],
    ['a type in place', 'src/emulator/ports.ts', `type S = import('../sas/state-store.js').StateStore`],
    [
      'the sorting of errors, in an adapter',
      'src/sas/cosmos-state-store.ts',
      `import { cosmosErrorKind, type CosmosErrorKind } from '../../lease-store/index.js'`,
    ],
    ['an inner room of its own', 'src/emulator/routes.ts', `import { parse } from './query/index.js'`],
    [
      'public names in a sample',
      'samples/orders/run.ts',
      `import { startHost } from 'stepward'\nimport { startEmulator } from 'stepward/emulator'`,
    ],
    ['a sample’s own files', 'samples/orders/run.ts', `import { orders } from './orders.js'`],
    [
      'a link in a comment',
      'lease-store/lease.ts',
      `/** {@link import('../src/sas/index.js').X} */\nexport const a = 1`,
    ],
  ])('allows %s', (_, path, text) => {
    expect(judge(path, text)).toEqual([])
  })

  it.each([
    ['a room above', 'lease-store/balance.ts', `import { retry } from '../src/platform/index.js'`],
    [
      'the emulator in production',
      'src/host/host.ts',
      `import { startEmulator } from '../emulator/index.js'`,
    ],
    [
      'values where the table says types',
      'src/emulator/routes.ts',
      `import { decodeDocument } from '../sas/documents.js'`,
    ],
    ['one value among types', 'src/emulator/routes.ts', `import { type A, b } from '../sas/documents.js'`],
    ['a side effect', 'src/emulator/routes.ts', `import '../sas/documents.js'`],
    [
      'values of the lease store in a role',
      'src/sas/agents.ts',
      `import { selectLeases } from '../../lease-store/index.js'`,
    ],
    [
      'a room by its path in a sample',
      'samples/orders/services/bank.ts',
      `import { systemClock } from '../../../src/platform/index.js'`,
    ],
    ['the type of a value', 'src/emulator/routes.ts', `type S = typeof import('../sas/documents.js')`],
    ['a re-export', 'src/platform/index.ts', `export * from '../telemetry/index.js'`],
    ['a dynamic import', 'src/telemetry/index.ts', `const cli = await import('../cli/main.js')`],
    ['require', 'src/telemetry/index.ts', `const cli = require('../cli/main.js')`],
    [
      'the emulator’s doors from its engine',
      'src/emulator/engine/account.ts',
      `import { route } from '../routes.js'`,
    ],
    [
      'one inner room from the other',
      'src/emulator/engine/account.ts',
      `import type { Query } from '../query/index.js'`,
    ],
    [
      'platform from the query room',
      'src/emulator/query/parse.ts',
      `import { assert } from '../../platform/index.js'`,
    ],
    ['the package by its own name', 'src/cli/main.ts', `import { connect } from 'stepward'`],
    [
      'sources by path in a sample',
      'samples/orders/run.ts',
      `import { systemClock } from '../../src/platform/index.js'`,
    ],
    ['tests', 'src/sas/scheduler.ts', `import { aStep } from '../../test/support/builders.js'`],
    ['agents from the supervisor', 'src/sas/supervisor.ts', `import type { Agent } from './agents.js'`],
    ['anything from an unknown room', 'src/misc/thing.ts', `import { retry } from '../platform/index.js'`],
  ])('refuses %s', (_, path, text) => {
    expect(judge(path, text)).toEqual([expect.stringContaining(`${path}:1: imports `)])
  })

  it('says what is allowed instead', () => {
    expect(
      judge('src/dashboard/api.ts', `\nimport { selectLeases } from '../../lease-store/index.js'`),
    ).toEqual([
      'src/dashboard/api.ts:2: imports ../../lease-store/index.js: dashboard may import only types of lease-store',
    ])
  })

  it('lets the public faces only re-export', () => {
    const text = `export { retry } from './platform/index.js'\nexport const version = 1\nimport './sas/index.js'`
    expect(judge('src/index.ts', text)).toEqual([
      'src/index.ts:2: only re-exports belong here; give the code a room',
      'src/index.ts:3: only re-exports belong here; give the code a room',
    ])
  })
})

describe('the table', () => {
  it('has no cycle', () => {
    const reachable = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of Object.keys(importTable[from] ?? {})) {
        if (!seen.has(next)) reachable(next, seen.add(next))
      }
      return seen
    }
    expect(Object.keys(importTable).filter((room) => reachable(room).has(room))).toEqual([])
  })
})
