import { ChangeHistory, type HistoryOwner } from './change-history.js'
import type { JournalRecord, KeptHistory } from './journal.js'

interface WithHistory extends HistoryOwner {
  readonly definition: { readonly retentionSeconds: number | null }
  readonly history: ChangeHistory | null
}

/** Returns the history of a container, or null if its policy asks for none. */
export function historyOf(container: WithHistory, kept?: KeptHistory): ChangeHistory | null {
  const { retentionSeconds } = container.definition
  return retentionSeconds === null ? null : new ChangeHistory(container, retentionSeconds, kept)
}

/** Begins, keeps or removes the history, as a new policy requires. Returns it with the records to write. */
export function redefinedHistory(container: WithHistory): {
  readonly history: ChangeHistory | null
  readonly records: readonly JournalRecord[]
} {
  const { rid: containerRid, history: before } = container
  const { retentionSeconds } = container.definition
  if (before !== null && retentionSeconds !== null) {
    before.retentionSeconds = retentionSeconds
    return { history: before, records: [] }
  }
  const history = historyOf(container)
  if (before !== null) return { history, records: [{ kind: 'history', containerRid, floors: null }] }
  return { history, records: history?.begun() ?? [] }
}
