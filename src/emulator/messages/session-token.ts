import { Refusal, substatus, type PhysicalPartition } from '../engine/index.js'

/** Returns a session token `{rangeId}:{version}#{lsn}`. SDKs merge tokens of one version and one region. */
export function sessionToken(partition: PhysicalPartition): string {
  return `${partition.id}:-1#${partition.lsn}`
}

/**
 * Refuses a read whose client has seen a later LSN than this partition has. A token of a split range also
 * counts for its children.
 */
export function assertSessionReached(partition: PhysicalPartition, token: string | undefined): void {
  if (token === undefined || token === '') return
  for (const part of token.split(',')) {
    const [rangeId = '', progress = ''] = part.split(':')
    if (rangeId !== partition.id && !partition.identity.parents.includes(rangeId)) continue
    const lsn = Number(progress.split('#')[1])
    if (lsn > partition.lsn) {
      throw new Refusal(
        404,
        `The read session is not available: its token asks for LSN ${lsn} of range ${rangeId}, which ` +
          `is only at LSN ${partition.lsn}. Read again.`,
        substatus.readSessionNotAvailable,
      )
    }
  }
}
