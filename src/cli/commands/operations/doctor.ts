import { examine } from '../../../operations/index.js'
import { counted } from '../../../platform/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { forSameStore } from '../../output/same-store.js'
import { withUnits } from '../../input/store.js'
import type { UnitOptions } from '../../input/store-options.js'
import { wrapped, type Terminal } from '../../output/terminal.js'

/** Prints the problems of containers and leases, with advice. The exit code is 1 if there is a problem. */
export async function doctor(options: UnitOptions, terminal: Terminal): Promise<number> {
  const findings = await withUnits({ options, terminal }, examine)
  const problems = findings.filter(({ severity }) => severity === 'problem')
  if (options.json === true) {
    terminal.print(JSON.stringify(findings))
  } else {
    for (const { severity, rule, processorName, observation, advice, command } of findings) {
      const where = processorName === null ? '' : ` of ${JSON.stringify(processorName)}`
      terminal.print(`${severity} ${rule}${where}`)
      terminal.print(wrapped(observation, terminal.width, '  '))
      const here =
        command === undefined ? advice : advice.replace(command, () => forSameStore(command, options))
      terminal.print(wrapped(`→ ${here}`, terminal.width, '  '))
    }
    const counts =
      `${counted(problems.length, 'problem')}, ` + counted(findings.length - problems.length, 'hint')
    terminal.print(findings.length === 0 ? 'nothing is wrong' : counts)
  }
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed
}
