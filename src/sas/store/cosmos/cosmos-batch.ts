import type { Container, OperationInput } from '@azure/cosmos'
import { cosmosErrorKind, failureOf, isTransient } from '../../../../lease-store/internal.js'
import { storeError } from './cosmos-store-error.js'
import { StoreRefused, StoreUnavailable } from '../../model/errors.js'
import type { ApplyResult, StateWrite } from '../state-store.js'

/**
 * Applies all of these writes in one transaction, or none of them.
 *
 * @throws StoreUnavailable or StoreRefused only if certainly nothing was written
 */
export async function applyBatch(
  container: Container,
  partition: string,
  writes: readonly StateWrite[],
  onCharge: (charge: number) => void,
): Promise<ApplyResult> {
  let answer: Awaited<ReturnType<Container['items']['batch']>>
  // The caller already has the documents and needs only their new etags.
  const options = { contentResponseOnWriteEnabled: false }
  try {
    answer = await container.items.batch(writes.map(asOperation), partition, options)
  } catch (error) {
    // The SDK's error has no status, but the failure of its last request has one.
    const cause = failureOf(options) ?? error
    if (isRefusedForNow(cause) || isTooLarge(cause)) throw storeError('state.batch', cause)
    return { kind: 'unknownOutcome', cause }
  }
  const headers: Readonly<Record<string, unknown>> = answer.headers
  const charge = Number(headers['x-ms-request-charge'] ?? 0)
  onCharge(charge)
  const results = answer.result ?? []
  // Status 424 marks operations that were rolled back because another operation failed.
  const failed = results.findIndex((result) => result.statusCode >= 400 && result.statusCode !== 424)
  const culprit = results[failed]
  if (culprit !== undefined) return refused(culprit, writes[failed]?.document.id ?? '')
  const etags = results.flatMap(({ eTag = '' }) => (eTag === '' ? [] : [eTag]))
  // The writes succeeded, but the next write needs their etags (I2), which now only a read can return.
  if (etags.length < writes.length) {
    const cause = new Error('the store answered without the etags of what it wrote')
    return { kind: 'unknownOutcome', cause }
  }
  return { kind: 'applied', etags, physicalRangeId: rangeIdIn(headers), charge }
}

/** Translates the refusal of one operation. The batch has then written nothing. */
function refused(culprit: { readonly statusCode: number }, id: string): ApplyResult {
  const { statusCode } = culprit
  const reasons = new Map([
    [404, 'missing'],
    [409, 'exists'],
    [412, 'changed'],
  ] as const)
  const reason = reasons.get(statusCode as 404)
  if (reason !== undefined) return { kind: 'conflict', id, reason }
  const passes = [408, 410, 429, 449, 503].includes(statusCode)
  const message =
    `the store answered ${statusCode} to the write of ${JSON.stringify(id)}; nothing ` + 'was written'
  if (!passes) throw new StoreRefused(message, { cause: culprit })
  const said: unknown = Reflect.get(culprit, 'retryAfterMilliseconds')
  const advice = typeof said === 'number' ? { retryAfterMs: said } : {}
  throw new StoreUnavailable(message, { cause: culprit, ...advice })
}

/**
 * Checks whether the store wrote nothing and may accept the batch later. This is so if the status is 429, 449
 * or 410, or if the store was not reached (F-X3).
 */
function isRefusedForNow(cause: unknown): boolean {
  const { kind } = cosmosErrorKind(cause, 'write')
  return isTransient(kind) && kind !== 'unknownOutcome'
}

/**
 * Checks whether the store refused the batch because of its size. Such a batch is refused every time, and
 * nothing was written (F-S9).
 */
function isTooLarge(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && Reflect.get(cause, 'code') === 413
}

/**
 * Returns the physical partition, from its header or else from the session token `{rangeId}:{version}#{lsn}`.
 */
export function rangeIdIn(headers: Readonly<Record<string, unknown>>): string | null {
  const said = headers['x-ms-documentdb-partitionkeyrangeid']
  if (typeof said === 'string' && said !== '') return said
  const token = headers['x-ms-session-token']
  return typeof token === 'string' ? (token.split(':')[0] ?? null) : null
}

export function asOperation(write: StateWrite): OperationInput {
  // The SDK's JSON type does not accept `unknown`, but a state document is always JSON.
  const resourceBody = write.document as never
  if (write.kind === 'create') return { operationType: 'Create', resourceBody }
  return { operationType: 'Replace', id: write.document.id, resourceBody, ifMatch: write.ifMatch }
}
