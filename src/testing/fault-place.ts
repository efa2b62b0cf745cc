import type { PlannedFault } from './faults.js'

/** What can befall one write. */
export const faultKinds = [
  'crashBefore',
  'crashAfter',
  'answerLost',
  'requestLost',
  'rival',
  'refused',
] as const satisfies readonly PlannedFault['kind'][]

/** The write that a fault befalls: the n-th of its kind. */
export type Place = Pick<PlannedFault, 'writePoint' | 'occurrence'>

/** The fault as people and commands write it: `answerLost@W1#2`. */
export function faultText({ kind, writePoint, occurrence }: PlannedFault): string {
  return `${kind}@${writePoint}#${occurrence}`
}

/**
 * The fault that is written so.
 *
 * @throws RangeError when it is none
 */
export function faultFrom(text: string): PlannedFault {
  const [, kindText, writePoint, occurrence] = /^(\w+)@(\w+)#(\d+)$/.exec(text) ?? []
  const kind = faultKinds.find((known) => known === kindText)
  if (kind === undefined || writePoint === undefined)
    throw new RangeError(
      `${JSON.stringify(text)} is no fault: write one of ${faultKinds.join(', ')} before @W1#2`,
    )
  return { kind, writePoint, occurrence: Number(occurrence) }
}
