import { scaleWarnings } from '../../../operations/index.js'
import { fleetStatus, socketPath, stateDirectoryOf } from '../../../fleet/index.js'
import { exitCodes } from '../../output/cli-error.js'
import { scaleTargetOf, type ScaleTargetOptions } from '../../input/scale-target.js'
import type { Terminal } from '../../output/terminal.js'
import { wholeNumber } from '../../input/whole-number.js'
import { sparesIn } from './fleet.js'

export type ScaleOptions = ScaleTargetOptions & {
  readonly json?: boolean
  readonly verbose?: boolean
  readonly dryRun?: boolean
}

export async function scale(
  role: string,
  text: string,
  options: ScaleOptions,
  terminal: Terminal,
): Promise<number> {
  const wanted = wholeNumber('scale ROLE N:', text, { min: 0, max: 256 })
  const target = await scaleTargetOf(role, options)
  const before = await target.instances()
  for (const warning of scaleWarnings(target, wanted)) terminal.note(warning)
  if (options.dryRun === true) {
    if (options.json === true)
      terminal.print(JSON.stringify({ isDryRun: true, target: target.name, before, instances: wanted }))
    else terminal.print(`${target.name}: ${before} would become ${wanted}`)
    return exitCodes.ok
  }
  const instances = await target.scale(wanted)
  if (options.appService === undefined) {
    const path = socketPath(await stateDirectoryOf(options.state, process.cwd()))
    for (const line of sparesIn(await fleetStatus(path, { command: 'status' }))) terminal.note(line)
  }
  if (options.json === true) terminal.print(JSON.stringify({ target: target.name, before, instances }))
  else terminal.print(`${target.name}: ${before} → ${instances}`)
  return exitCodes.ok
}
