import { scaleWarnings } from '../../../operations/index.js'
import { fleetStatus, socketPath, stateDirectoryOf } from '../../../fleet/index.js'
import { exitCodes } from '../../output/cli-error.js'
import { scaleTargetOf } from '../../input/scale-target.js'
import type { Terminal } from '../../output/terminal.js'
import { wholeNumber } from '../../input/whole-number.js'
import { sparesIn } from './fleet.js'
import { recordedDecision, saidIn, type DecisionOptions } from './record-decision.js'

/** Changes the number of instances of a role, and then records who decided this and why. */
export async function scale(
  role: string,
  text: string,
  options: DecisionOptions,
  terminal: Terminal,
): Promise<number> {
  const wanted = wholeNumber('scale ROLE N:', text, { min: 0, max: 256 })
  const { by, why } = await saidIn('scale', options)
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
  const terms = {
    command: 'scale',
    role,
    from: before,
    to: instances,
    target: target.place,
    by,
    why,
  } as const
  const [spares, missing] = await Promise.all([sparesOf(options), recordedDecision(terms, options, terminal)])
  for (const line of spares) terminal.note(line)
  if (options.json === true) {
    const note = missing === null ? {} : { note: missing }
    const result = { target: target.name, before, instances, by, why, isRecorded: missing === null, ...note }
    terminal.print(JSON.stringify(result))
  } else terminal.print(`${target.name}: ${before} → ${instances}`)
  if (missing !== null) terminal.note(`stepward: ${missing}`)
  return exitCodes.ok
}

async function sparesOf({ appService, state }: DecisionOptions): Promise<readonly string[]> {
  if (appService !== undefined) return []
  const path = socketPath(await stateDirectoryOf(state, process.cwd()))
  return sparesIn(await fleetStatus(path, { command: 'status' }))
}
