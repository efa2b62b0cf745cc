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

/** Opens the only stream of this tab. The browser opens it again after a break. */
export function follow() {
  const source = new EventSource('/api/changes')
  source.addEventListener('ready', () => {
    stream.value = { ...stream.value, isOpen: true }
    tell(null)
  })
  source.addEventListener('changes', ({ data }) => tell(JSON.parse(data)))
  source.addEventListener('trouble', ({ data }) => {
    stream.value = { ...stream.value, trouble: JSON.parse(data).message }
  })
  source.addEventListener('error', () => {
    stream.value = { isOpen: false, trouble: null }
    if (source.readyState !== EventSource.CLOSED) return
    // The server refused the stream, perhaps because it was started again. This read tells why.
    read('/api/about').then(
      () => setTimeout(follow, againMs),
      () => {
        if (signedOut.value === '') setTimeout(follow, againMs)
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
