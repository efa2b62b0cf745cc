/** @import { Changes } from './shapes.js' */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { read, signedOut } from './api.js'

/** The state of the stream. `trouble` says why the store does not answer. */
export const stream = signal(
  /** @type {{ isOpen: boolean, trouble: string | null }} */ ({ isOpen: false, trouble: null }),
)

/** The pause before a stream that was refused is opened again. */
const againMs = 3_000

/** @type {Set<(changes: Changes | null) => void>} */
const listeners = new Set()

/** The time after which a tab that stays hidden closes its stream. */
const hiddenMs = 5_000

/** @type {EventSource | null} */
let source = null

/**
 * Keeps the only stream of this tab open while the tab is visible. A browser opens at most six connections to a server, so
 * without this rule, a seventh tab could not load.
 */
export function follow() {
  let timer = 0
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') connect()
    else timer = window.setTimeout(disconnect, hiddenMs)
  })
  connect()
}

function disconnect() {
  source?.close()
  source = null
  stream.value = { isOpen: false, trouble: null }
}

/** Opens the stream unless it is open. The browser opens it again after a break. */
function connect() {
  if (source !== null || document.visibilityState !== 'visible') return
  const opened = new EventSource('/api/changes')
  source = opened
  opened.addEventListener('ready', () => {
    stream.value = { ...stream.value, isOpen: true }
    tell(null)
  })
  opened.addEventListener('changes', ({ data }) => tell(JSON.parse(data)))
  opened.addEventListener('trouble', ({ data }) => {
    stream.value = { ...stream.value, trouble: JSON.parse(data).message }
  })
  opened.addEventListener('error', () => {
    stream.value = { isOpen: false, trouble: null }
    if (opened.readyState !== EventSource.CLOSED) return
    source = null
    // The server refused the stream, perhaps because it was started again. This read tells why.
    read('/api/about').then(
      () => setTimeout(connect, againMs),
      () => {
        if (signedOut.value === '') setTimeout(connect, againMs)
      },
    )
  })
}

/** @param {Changes | null} changes */
function tell(changes) {
  for (const listener of listeners) listener(changes)
}

/**
 * Calls `onChanges` for each message of the stream, and with null when changes may have been missed.
 *
 * @param {(changes: Changes | null) => void} onChanges
 */
export function useChanges(onChanges) {
  const newest = useRef(onChanges)
  newest.current = onChanges
  useEffect(() => {
    /** @param {Changes | null} changes */
    const listener = (changes) => newest.current(changes)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
}

/**
 * Returns a function that calls `action` soon, but not more often than once in `restMs`.
 *
 * @param {() => void} action
 * @param {number} restMs
 */
export function useThrottled(action, restMs) {
  const newest = useRef(action)
  newest.current = action
  const timer = useRef(/** @type {number | null} */ (null))
  const last = useRef(-Infinity)
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
    },
    [],
  )
  return () => {
    if (timer.current !== null) return
    timer.current = window.setTimeout(
      () => {
        timer.current = null
        last.current = performance.now()
        newest.current()
      },
      Math.max(0, last.current + restMs - performance.now()),
    )
  }
}

/**
 * Calls `action` at intervals while the page is visible.
 *
 * @param {() => void} action
 * @param {number} intervalMs
 */
export function useInterval(action, intervalMs) {
  const newest = useRef(action)
  newest.current = action
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') newest.current()
    }, intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
}
