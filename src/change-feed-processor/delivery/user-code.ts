import type { ChangeFeed } from '../feed/change-feed.js'
import { partitionKeyOf, type AnyChange } from '../feed/change-identity.js'
import { cosmosDeadLetter } from './cosmos-dead-letter.js'
import type { DeadLetter } from '../feed/delegate.js'
import type { UserCode } from '../options/delivery-options.js'
import type { ChangeDelegates, Runtime } from '../runtime/runtime.js'

/**
 * Returns the parts of a runtime that the user supplies. Without `orderBy`, changes are ordered by their
 * partition key. Rejects if the paths of the partition key cannot be read.
 */
export async function userCodeOf(
  { onChanges, onChange, orderBy, ...options }: UserCode & { readonly concurrency: number },
  feed: ChangeFeed,
): Promise<Pick<Runtime, 'delegates' | 'deadLetter'>> {
  const { concurrency } = options
  const deadLetter = deadLetterOf(options.deadLetter)
  if (onChanges !== undefined) return { delegates: { kind: 'pages', onChanges }, deadLetter }
  // The options were checked, so either `onChanges` or `onChange` exists.
  if (onChange === undefined) throw new TypeError('neither onChanges nor onChange was given')
  const keyOf = orderBy === undefined ? await byPartitionKey(feed) : byAnswerOf(orderBy)
  return { delegates: { kind: 'changes', onChange, keyOf, concurrency }, deadLetter }
}

function deadLetterOf(deadLetter: UserCode['deadLetter']): DeadLetter<AnyChange> {
  if (deadLetter === undefined)
    return () => Promise.reject(new Error('a change becomes a dead letter only with a failurePolicy'))
  return typeof deadLetter === 'function' ? deadLetter : cosmosDeadLetter(deadLetter)
}

async function byPartitionKey(feed: ChangeFeed): Promise<ChangeDelegates['keyOf']> {
  const paths = await feed.partitionKeyPaths()
  return (change) => JSON.stringify(partitionKeyOf(change, paths))
}

function byAnswerOf(orderBy: (change: AnyChange) => string | number): ChangeDelegates['keyOf'] {
  return (change) => String(orderBy(change))
}
