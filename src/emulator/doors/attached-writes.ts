import { request } from 'node:http'
import { systemClock, type Clock } from '../../platform/index.js'
import { parsedJson } from '../engine/index.js'
import { writesPath, type WrittenRanges } from './written-ranges.js'

/**
 * The pause after each report. Many writes then cost few requests, and readers that were just woken poll
 * more often than that anyway.
 */
const pauseMs = 50

/** The pause after a request that failed, for example because the other process closed the account. */
const pauseAfterFailureMs = 1_000

/** The container to watch, by name. */
export interface WatchedContainer {
  readonly socketPath: string
  readonly database: string
  readonly container: string
}

/**
 * Calls `onWrite` with each physical partition that was written, or with null if writes may have been missed.
 * Asks the process that has the account open with one long request after another, until the function that it
 * returns is called.
 */
export function watchAttached(
  watched: WatchedContainer,
  onWrite: (physicalRangeId: string | null) => void,
  clock: Clock = systemClock,
): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const isEnded = (): boolean => signal.aborted
  const watch = async (): Promise<void> => {
    let after: number | null = null
    while (!isEnded()) {
      const answer: WrittenRanges | null = await writesAfter(watched, after, signal).catch(() => null)
      if (isEnded()) return
      const isFirst: boolean = after === null
      after = answer?.at ?? null
      if (answer?.written === null) onWrite(null)
      for (const rangeId of answer?.written ?? []) onWrite(rangeId)
      if (answer === null) await clock.sleep(pauseAfterFailureMs, signal)
      else if (!isFirst) await clock.sleep(pauseMs, signal)
    }
  }
  watch().catch(() => undefined)
  return () => {
    ending.abort()
  }
}

function writesAfter(
  { socketPath, database, container }: WatchedContainer,
  after: number | null,
  signal: AbortSignal,
): Promise<WrittenRanges> {
  const query = new URLSearchParams({ database, container })
  if (after !== null) query.set('after', String(after))
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: `${writesPath}?${query.toString()}`, signal }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const answer = parsedJson(Buffer.concat(chunks).toString()) as WrittenRanges | undefined
        if (response.statusCode === 200 && typeof answer?.at === 'number') resolve(answer)
        else reject(new Error(`${socketPath} does not report writes`))
      })
    })
    sent.on('error', reject)
    sent.on('socket', (socket) => {
      socket.unref()
    })
    sent.end()
  })
}
