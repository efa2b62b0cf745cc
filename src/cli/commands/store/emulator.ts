import { resolve } from 'node:path'
// The emulator's index loads the SDK, which doubles the time until the first answer. So only a type is
// imported from the index.
import type { AccountServerOptions } from '../../../emulator/index.js'
import { accountKeyRule, isAccountKey, serveAccount } from '../../../emulator/internal.js'
import { serveDoor } from '../../../engine-ports/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { wholeNumber } from '../../input/whole-number.js'
import { openingData, watchedDirectory } from '../../input/data-directory.js'
import type { Terminal } from '../../output/terminal.js'
import { collectAtRest } from '../../running/collect-at-rest.js'
import { untilTold } from '../../running/until-signal.js'

export interface EmulatorCommandOptions {
  readonly port: string
  readonly data?: string
  readonly memory: string
  readonly partitions: string
  readonly key?: string
  readonly enforceThroughput?: boolean
  readonly https?: boolean
  readonly explorer?: boolean
  readonly json?: boolean
}

export async function emulator(options: EmulatorCommandOptions, terminal: Terminal): Promise<number> {
  const account = emulatorOptions(options)
  const open = (): ReturnType<typeof serveAccount> => serveAccount(account)
  const running = await (options.data === undefined ? open() : openingData(options.data, open))
  if (options.data !== undefined) serveDoor(running)
  const watch = options.data === undefined ? null : watchedDirectory(resolve(options.data))
  const told = untilTold()
  const { endpoint, key, connectionString, explorer } = running
  if (options.json === true) {
    const trusted = options.https === true ? { certificate: running.certificate } : {}
    terminal.print(JSON.stringify({ endpoint, key, connectionString, explorer, ...trusted }))
  } else {
    const data = options.data ?? 'in memory: lost when the emulator stops'
    terminal.print(
      [
        `endpoint           ${endpoint}`,
        `key                ${key}`,
        `connection string  ${connectionString}`,
        `data               ${data}`,
        `explorer           ${explorer ?? 'off'}`,
        ...trustLines(options),
        'Ctrl-C stops it.',
      ].join('\n'),
    )
  }
  const endCollecting = collectAtRest()
  await told
  endCollecting()
  await watch?.stop()
  await running.close()
  return exitCodes.ok
}

/** Explains how other clients can trust the certificate. */
function trustLines({ https, data }: EmulatorCommandOptions): readonly string[] {
  if (https !== true) return []
  if (data === undefined)
    return ['certificate        created for this run; with --data it is stored in certificate.pem']
  return [`certificate        ${resolve(data, 'certificate.pem')} (to trust it in Node: NODE_EXTRA_CA_CERTS)`]
}

export function emulatorOptions(options: EmulatorCommandOptions): AccountServerOptions {
  const { data, key } = options
  if (key !== undefined && !isAccountKey(key)) {
    throw new CliError(`--key (its value is not shown) must be ${accountKeyRule}`, exitCodes.usage)
  }
  return {
    port: wholeNumber('--port', options.port, { min: 0, max: 65_535 }),
    partitionCount: wholeNumber('--partitions', options.partitions, { min: 1, max: 1_000 }),
    memoryBytes: wholeNumber('--memory', options.memory, { min: 1, max: 1_000_000 }) * 2 ** 20,
    ...(data === undefined ? {} : { dataDirectory: resolve(data) }),
    ...(key === undefined ? {} : { key }),
    enforceThroughput: options.enforceThroughput === true,
    https: options.https === true,
    ...(options.explorer === undefined ? {} : { explorer: options.explorer }),
  }
}
