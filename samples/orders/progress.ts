import { createLogUpdate } from 'log-update'
import type { Observer } from './observer.js'

/**
 * Shows a live progress bar on a terminal. Without a terminal, prints a line after each tenth of the orders.
 */
export function showProgress(
  observer: Observer,
  total: number,
  stream: NodeJS.WriteStream,
): { done(): void } {
  const live = stream.isTTY ? createLogUpdate(stream) : null
  let lastTenth = 0
  const update = (): void => {
    const { endedCount } = observer
    const tenth = Math.floor((endedCount * 10) / Math.max(1, total))
    if (live !== null) live(barLine(observer, total))
    else if (tenth > lastTenth) stream.write(`${statusLine(observer, total)}\n`)
    lastTenth = tenth
  }
  observer.onProgress(update)
  update()
  return { done: () => live?.done() }
}

function barLine(observer: Observer, total: number): string {
  const width = 24
  const filled = total === 0 ? width : Math.round((observer.endedCount * width) / total)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${statusLine(observer, total)}`
}

function statusLine(observer: Observer, total: number): string {
  const states = Object.entries(observer.byState()).map(([state, jobs]) => `${jobs} ${state}`)
  return [`${observer.endedCount}/${total} orders ended`, ...states, `${observer.retries} retries`].join(', ')
}
