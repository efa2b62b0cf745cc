/** @import { Changes } from './shapes.js' */
/** @import { Heard } from '../stream/membership.js' */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { canShareStream, joinOthers, openAlone } from '../stream/membership.js'
import { read, signedOut } from './api.js'

/** The state of the stream. `trouble` says why the store does not answer. */
export const stream = signal(
  /** @type {{ isOpen: boolean, trouble: string | null }} */ ({ isOpen: false, trouble: null }),
)

/** @type {Set<(changes: Changes | null) => void>} */
const listeners = new Set()

/** The time after which a tab that stays hidden gives up the stream. */
const hiddenMs = 5_000

/**
 * Gives up the stream. Null if this tab does not follow it.
 *
 * @type {(() => void) | null}
 */
let leave = null

/**
 * Follows the stream while this tab is visible. The tabs of a browser share one, because a browser opens at most six
 * connections to a server. If each tab had its own, a seventh tab could not load.
 */
export function follow() {
  let timer = 0
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') connect()
    else timer = window.setTimeout(disconnect, hiddenMs)
  })
  // A document that the browser keeps for the way back must not keep the stream, and a timer would not run in it.
  window.addEventListener('pagehide', disconnect)
  window.addEventListener('pageshow', () => connect())
  // A tab that the browser freezes would keep the stream, too.
  document.addEventListener('freeze', disconnect)
  document.addEventListener('resume', () => connect())
  connect()
}

function disconnect() {
  leave?.()
  leave = null
  stream.value = { isOpen: false, trouble: null }
}

/**
 * Whether this tab follows a stream of its own because the worker did not load, and whether that stream has broken since.
 */
const alone = { isByFault: false, hasBroken: false }

function connect(canShare = canShareStream()) {
  if (leave !== null || document.visibilityState !== 'visible' || signedOut.value !== '') return
  alone.isByFault = !canShare && canShareStream()
  alone.hasBroken = false
  leave = canShare ? joinOthers(hear) : openAlone(hear)
}

/** @param {Heard} heard */
function hear(heard) {
  // The server is back, so the worker may load again.
  if (heard.kind === 'ready' && alone.isByFault && alone.hasBroken) {
    disconnect()
    connect()
    return
  }
  if (heard.kind === 'ready') {
    stream.value = { ...stream.value, isOpen: true }
    tell(null)
  }
  if (heard.kind === 'changes') tell(JSON.parse(heard.text))
  if (heard.kind === 'trouble') stream.value = { ...stream.value, trouble: heard.message }
  if (heard.kind === 'broken') {
    alone.hasBroken = true
    stream.value = { isOpen: false, trouble: null }
    if (heard.isRefused) askWhy()
  }
  if (heard.kind === 'lost') {
    disconnect()
    connect(heard.canShare)
  }
}

/** Reads why the server refused the stream. Perhaps it was started again, and does not know this person any more. */
function askWhy() {
  read('/api/about')
    .catch(() => undefined)
    .finally(() => {
      if (signedOut.value !== '') disconnect()
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
