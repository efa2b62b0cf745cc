import { systemClock } from '../../../platform/index.js'
import { cosmosErrorKind, failureOf, type CosmosErrorKind } from '../../../../lease-store/internal.js'
import { Together } from '../together.js'
import { bytesOf, surelyFits } from '../transaction.js'
import type { ApplyResult, StateWrite } from '../state-store.js'
import { asOperation, rangeIdIn } from './cosmos-batch.js'
import type { CosmosStateRequests } from './cosmos-state-requests.js'
import { storeError } from './cosmos-store-error.js'

/**
 * The largest size of a shared request. The SDK splits a larger one into several requests. If only one of them failed, it would be
 * unknown which documents were written.
 */
const sharedBytes = 200_000
/** The most bytes of an operation besides its document. */
const operationBytes = 1_500
/** Larger documents are written alone. */
const smallBytes = 100_000

/** The answer to one operation of a request for several. */
interface OneOfSeveral {
  readonly statusCode: number
  readonly requestCharge: number
  readonly eTag?: string
}

/**
 * Writes single documents. While a replace is under way, the next ones are collected. They then share a request, which
 * applies or refuses each of them separately.
 */
export class CosmosSingleWrites {
  private readonly replaces: Together<StateWrite, ApplyResult>
  /** Whether replaces may share requests: not if an emulator refuses such requests, or after a second physical partition. */
  private mayShare = true
  /** The physical partition of the first answer. Null before this answer. */
  private physicalRangeId: string | null = null

  constructor(private readonly requests: CosmosStateRequests) {
    this.replaces = new Together({
      clock: systemClock,
      alone: (write) => this.alone(write.document.pk, write),
      together: (writes) => this.together(writes),
      shareOf: ({ document }) => (bytesOf(document) + operationBytes) / sharedBytes,
    })
  }

  apply(partition: string, write: StateWrite): Promise<ApplyResult> {
    const { kind, document } = write
    const mayShare = this.mayShare && this.physicalRangeId !== null
    const isShared = mayShare && kind === 'replace' && document.pk === partition
    return isShared && surelyFits([document], smallBytes)
      ? this.replaces.ask(write)
      : this.alone(partition, write)
  }

  /**
   * Notes in which physical partition a write was. The answer to a shared request does not say this, so its hint goes to the
   * readers of all partitions. Therefore replaces share requests only while a single partition is known.
   */
  noteRange(id: string | null): void {
    if (id === null || (this.physicalRangeId !== null && this.physicalRangeId !== id)) this.mayShare = false
    else this.physicalRangeId = id
  }

  /** Makes a point operation. Unlike a batch, it reports the cause of a failure. */
  private async alone(partition: string, write: StateWrite): Promise<ApplyResult> {
    const { document } = write
    const { container } = this.requests
    const operation = `state.${write.kind}`
    try {
      const answer =
        write.kind === 'create'
          ? await container.items.create(document)
          : await container.item(document.id, partition).replace(document, {
              accessCondition: { type: 'IfMatch', condition: write.ifMatch },
            })
      const { requestCharge: charge, etag } = answer
      this.requests.charge(operation, charge)
      const physicalRangeId = rangeIdIn(answer.headers)
      this.noteRange(physicalRangeId)
      return { kind: 'applied', etags: [etag], physicalRangeId, charge }
    } catch (error) {
      const result = refusal(write, cosmosErrorKind(error, 'write').kind, error)
      if (result === null) throw storeError(operation, error)
      return result
    }
  }

  /** Replaces documents with one request. A replace that the request does not decide is then written alone. */
  private async together(writes: readonly StateWrite[]): Promise<readonly (ApplyResult | undefined)[]> {
    // The caller already has the documents and needs only their new etags.
    const options = { contentResponseOnWriteEnabled: false }
    const { items } = this.requests.container
    try {
      // The planned replacement waits up to 100 ms for more operations, and takes five times the processor time.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
      const answers = await items.bulk(writes.map(asOperation), { continueOnError: true }, options)
      return writes.map((write, index) => this.answered(write, answers[index]))
    } catch {
      const cause = failureOf(options)
      // Before it sends the writes, the SDK asks for the partition key ranges, which may fail as well.
      if (cause === undefined) return []
      const { kind } = cosmosErrorKind(cause, 'write')
      if (kind === 'other') this.mayShare = false
      return kind === 'unknownOutcome' ? writes.map(() => ({ kind, cause })) : []
    }
  }

  private answered(write: StateWrite, answer: OneOfSeveral | undefined): ApplyResult | undefined {
    if (answer === undefined) return undefined
    const { statusCode: code, requestCharge: charge, eTag } = answer
    this.requests.charge(`state.${write.kind}`, charge)
    if (code >= 400) {
      const message = `the store answered ${code} to the write of ${JSON.stringify(write.document.id)}`
      const cause = new Error(message, { cause: answer })
      return refusal(write, cosmosErrorKind({ code }, 'write').kind, cause) ?? undefined
    }
    if (eTag !== undefined && eTag !== '')
      return { kind: 'applied', etags: [eTag], physicalRangeId: null, charge }
    return {
      kind: 'unknownOutcome',
      cause: new Error('the store answered without the etag of what it wrote'),
    }
  }
}

/** Returns what a failure says about the write, or null if the store has not decided about it. */
function refusal(write: StateWrite, failure: CosmosErrorKind['kind'], cause: unknown): ApplyResult | null {
  const { id } = write.document
  if (failure === 'conflict') return { kind: 'conflict', id, reason: 'exists' }
  if (failure === 'preconditionFailed') return { kind: 'conflict', id, reason: 'changed' }
  if (failure === 'notFound' && write.kind === 'replace') return { kind: 'conflict', id, reason: 'missing' }
  return failure === 'unknownOutcome' ? { kind: failure, cause } : null
}
