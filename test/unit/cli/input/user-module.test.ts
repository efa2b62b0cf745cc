import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadUserModule, modulePath, workflowNamed } from '../../../../src/cli/input/user-module.js'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepward-'))
})
afterAll(() => rm(directory, { recursive: true }))

const orders = fileURLToPath(new URL('../../../../samples/orders/index.ts', import.meta.url))

it('a user module provides every agent and workflow among its exports', async () => {
  const module = await loadUserModule(orders)
  expect(module.agents).toHaveLength(3)
  expect(workflowNamed('order-fulfilment', module, orders).plan.steps).toHaveLength(3)
})

it('an unknown workflow is rejected with the names that the module has', async () => {
  const module = await loadUserModule(orders)
  expect(() => workflowNamed('orders', module, 'm.js')).toThrow(
    'unknown workflow "orders": m.js has order-fulfilment',
  )
  const empty = { agents: [], workflows: [], schedules: [] }
  expect(() => workflowNamed('orders', empty, 'm.js')).toThrow('m.js exports no workflow')
})

it('a module that cannot be loaded is rejected with the reason', async () => {
  const broken = join(directory, 'broken.mjs')
  await writeFile(broken, 'throw new Error("no luck")')
  await expect(loadUserModule(broken)).rejects.toThrow(/broken\.mjs could not be loaded: no luck/)
  await expect(loadUserModule(join(directory, 'missing.mjs'))).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/missing\.mjs does not exist/) as string,
  })
  const typed = join(directory, 'typed.ts')
  await writeFile(typed, 'throw new Error("not loaded")')
  await expect(loadUserModule(typed)).rejects.toThrow(
    /typed\.ts could not be loaded: it is TypeScript; compile it/,
  )
})

it('a module on the command line has precedence, and a missing one is asked for', () => {
  expect(modulePath('flag.js', 'configured.js', '--agents')).toBe('flag.js')
  expect(modulePath(undefined, 'configured.js', '--agents')).toBe('configured.js')
  expect(() => modulePath(undefined, undefined, '--agents')).toThrow(/pass --agents MODULE/)
})
