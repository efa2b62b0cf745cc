import type { PlannedFault } from './faults.js'

export const faultKinds = [
  'crashBefore',
  'crashAfter',
  'answerLost',
  'requestLost',
  'rival',
  'refused',
] as const satisfies readonly PlannedFault['kind'][]

/** The write that has the fault, by its write point and its number among the writes of this point. */
export type Place = Pick<PlannedFault, 'writePoint' | 'occurrence'>

/** Returns the text form of a fault, such as `answerLost@W1#2`. */
export function faultText({ kind, writePoint, occurrence }: PlannedFault): string {
  return `${kind}@${writePoint}#${occurrence}`
}

/** @throws RangeError if the text is not a fault */
export function faultFrom(text: string): PlannedFault {
  const [, kindText, writePoint, occurrence] = /^(\w+)@(\w+)#(\d+)$/.exec(text) ?? []
  const kind = faultKinds.find((known) => known === kindText)
  if (kind === undefined || writePoint === undefined)
    throw new RangeError(
      `${JSON.stringify(text)} is not a fault: write one of ${faultKinds.join(', ')}, then a place such as @W1#2`,
    )
  return { kind, writePoint, occurrence: Number(occurrence) }
}
