import { counted } from './formats.js'

/** The largest number of jobs that are remembered. A view may stay open for days while new jobs come. */
const mostUnseen = 1_000

/**
 * Adds the keys of new jobs. At the limit it returns the same set, so that nothing is copied or drawn.
 *
 * @param {ReadonlySet<string>} unseen
 * @param {readonly string[]} fresh
 * @returns {ReadonlySet<string>}
 */
export function withUnseen(unseen, fresh) {
  if (unseen.size >= mostUnseen || fresh.every((key) => unseen.has(key))) return unseen
  return new Set([...new Set([...unseen, ...fresh])].slice(0, mostUnseen))
}

/** @param {ReadonlySet<string>} unseen */
export function unseenText({ size }) {
  return size < mostUnseen
    ? counted(size, 'new job', 'new jobs')
    : `${mostUnseen.toLocaleString('en')} new jobs or more`
}
