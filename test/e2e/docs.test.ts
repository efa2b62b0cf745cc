import { CosmosClient } from '@azure/cosmos'
import { spawn } from 'node:child_process'
import { execPath } from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wellKnownKey } from '../../src/emulator/internal.js'
import { commandsOf, textsIn } from './doc-page.js'
import { printed } from './printed-example.js'
import { cli, run, Running, startEmulatorProcess, temporaryDirectory } from './processes.js'

const page = 'docs/embedded-cosmos.md'
const blocks = (language: string): readonly string[] => textsIn(page, language)

describe(page, () => {
  it('has examples in TypeScript and for the shell', () => {
    expect(blocks('ts').length).toBeGreaterThan(1)
    expect(blocks('sh').length).toBeGreaterThan(0)
  })

  it.each(blocks('ts'))('has example %#, which runs without an error', async (code) => {
    await printed(code)
  })

  const commands = blocks('sh').flatMap(commandsOf)
  const isRepartition = (command: string): boolean => / emulator (split|merge) /u.test(command)

  it('has commands that split and merge a container, in their order', async () => {
    const { endpoint } = await startEmulatorProcess(['--port', '0'])
    const client = new CosmosClient({ endpoint, key: wellKnownKey })
    const { database } = await client.databases.create({ id: 'shop' })
    const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
    for (const command of commands.filter(isRepartition)) {
      const [, , ...args] = command.split(' ')
      const { code, stderr } = await run(cli, [...args, '--endpoint', endpoint], {})
      expect(code, stderr).toBe(0)
    }
    const { resources } = await container.readPartitionKeyRanges().fetchAll()
    expect(resources.map(({ id }) => id)).toEqual(['3'])
  })

  it.each(commands.filter((command) => !isRepartition(command)))(
    'has a command that starts a store: %s',
    async (command) => {
      const [npx, program, ...args] = command.split(' ')
      expect([npx, program]).toEqual(['npx', 'stepward'])
      // The default port may be in use by another store.
      const given = args.includes('--port') ? args : [...args, '--port', '0']
      const child = spawn(execPath, [cli, ...given], {
        cwd: await temporaryDirectory(),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const running = new Running(child)
      onTestFinished(async () => {
        await running.kill('SIGKILL')
      })
      expect(await running.line('endpoint')).toMatch(args.includes('--https') ? /https:/u : /http:/u)
      expect((await running.kill('SIGTERM')).code).toBe(0)
    },
  )
})
