import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInProcessCosmos } from 'stepward/emulator'
import { onTestFinished } from 'vitest'
import { startFleet, type Fleet, type FleetStore } from '../../src/fleet/index.js'
import { silent } from '../../src/telemetry/internal.js'

/** Creates a folder and removes it when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes down what the fleet asks of the process. */
const idle = `import { appendFileSync } from 'node:fs'
process.on('disconnect', () => process.exit(0))
process.on('message', ({ ask }) => appendFileSync(process.argv[2], ask + '\\n'))
`

/** The file in which the processes of a role write down what the fleet asks of them. */
export function askedFile(stateDirectory: string, role: string): string {
  return join(stateDirectory, `${role}.asked`)
}

/** Starts a fleet whose processes do nothing, and stops it when the test ends. `store` is what it tells commands. */
export async function idleFleet(
  counts: Readonly<Record<string, number>>,
  stateDirectory: string,
  store?: FleetStore,
): Promise<Fleet> {
  const cosmos = createInProcessCosmos()
  const program = join(await temporaryFolder(), 'idle.mjs')
  await writeFile(program, idle)
  const fleet = await startFleet({
    connection: { client: cosmos.client() },
    ...(store === undefined ? {} : { store }),
    counts,
    stateDirectory,
    program,
    reserveArgs: null,
    argsOf: (role) => [askedFile(stateDirectory, role)],
    telemetry: silent,
    stopWithinMs: 5_000,
  })
  onTestFinished(async () => {
    await fleet.stop()
    await cosmos.close()
  })
  return fleet
}
