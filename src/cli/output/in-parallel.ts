import { errorMessage } from '../../platform/internal.js'
import { CliError, exitCodeOf } from './cli-error.js'
import { bar, type Terminal } from './terminal.js'

/** The number of items that are processed at the same time. */
const atOnce = 16

/** What the progress bar of a command counts. */
export interface Progress {
  readonly word: string
  readonly reached: () => number
  readonly terminal: Terminal
}

/**
 * Processes several `items` at a time and shows a progress bar. After the first error, starts no more items,
 * waits for the running items, and throws an error that includes the progress.
 */
export async function inParallel<T>(
  items: readonly T[],
  { word, reached, terminal }: Progress,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const errors: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await work(item)
      } catch (error) {
        errors.push(error)
        left.length = 0
      }
      terminal.progress(`${bar(reached(), items.length, 30)} ${reached()}/${items.length} ${word}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  } finally {
    terminal.progressDone()
  }
  if (errors.length === 0) return
  const [error] = errors
  const why = errorMessage(error)
  const advice = `${reached()} of ${items.length} ${word}; run the same command again to continue`
  throw new CliError(`${why} (${advice})`, exitCodeOf(error), { cause: error })
}
