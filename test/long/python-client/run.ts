/**
 * `node .stepward/tests/test/long/python-client/run.js --python PATH`, after `npm run build:tests`: tests an
 * emulator with the official Python client, or says how to install that client.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startEmulator } from '../../../src/emulator/index.js'

const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } })

/** Relative to the root of the checkout, because compiled files are elsewhere. */
const checks = join('test', 'long', 'python-client', 'check.py')

if (spawnSync(values.python, ['-c', 'import azure.cosmos']).status === 0) {
  const emulator = await startEmulator({ port: 0 })
  const running = spawn(values.python, [checks, emulator.endpoint, emulator.key], { stdio: 'inherit' })
  const [code] = (await once(running, 'close')) as unknown[]
  process.exitCode = typeof code === 'number' ? code : 1
  await emulator.close()
} else {
  process.stdout.write(
    `Skipped: ${values.python} has no azure.cosmos. Run "python3 -m venv .stepward/python", ` +
      'then ".stepward/python/bin/pip install azure-cosmos==4.17.1", and give --python .stepward/python/bin/python.\n',
  )
}
