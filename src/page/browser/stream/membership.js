/** @import { Told } from './change-stream.js' */
import { changeStream } from './change-stream.js'

/**
 * A message to a tab. After `lost`, the tab must join again, alone if the worker cannot be loaded.
 *
 * @typedef {Told | { kind: 'lost', canShare: boolean }} Heard
 */

/** The time after which a worker that has sent nothing is given up. Browsers do not report each worker that fails to load. */
const silentMs = 10_000

const workerPath = '/page/stream/worker.js'

/**
 * The part of trusted types that makes the address of a worker. The compiler does not know it.
 *
 * @typedef {{ createScriptURL(text: string): string }} Policy
 * @typedef {{ createPolicy(name: string, rules: { createScriptURL(): string }): Policy }} TrustedTypes
 */

const { trustedTypes } = /** @type {{ trustedTypes?: TrustedTypes }} */ (globalThis)

/** The policy that the content security policy demands for the address of a worker. It knows only this address. */
const policy = trustedTypes?.createPolicy('stepward', { createScriptURL: () => workerPath })

/** The name of the worker. After a change of its messages, another number keeps out the tabs of an older version. */
const workerName = 'stepward changes 1'

/** Checks whether the tabs of this browser can share a stream. Locks need an address that browsers call secure. */
export function canShareStream() {
  return 'SharedWorker' in globalThis && 'locks' in navigator
}

/**
 * Opens a stream for this tab alone. Returns a function that closes it.
 *
 * @param {(heard: Heard) => void} tell
 */
export function openAlone(tell) {
  const { open, close } = changeStream(tell)
  open()
  return close
}

/**
 * Joins the tabs that share the stream of this browser. Returns a function that leaves them.
 *
 * @param {(heard: Heard) => void} tell
 */
export function joinOthers(tell) {
  const left = new AbortController()
  const { signal } = left
  const address = policy?.createScriptURL('') ?? workerPath
  const worker = new SharedWorker(address, { type: 'module', name: workerName })
  const { port } = worker
  /** @param {Heard} heard */
  const hear = (heard) => {
    if (!signal.aborted) tell(heard)
  }
  const fail = () => hear({ kind: 'lost', canShare: false })
  const timer = setTimeout(fail, silentMs)
  worker.addEventListener('error', fail)
  port.addEventListener('message', ({ data }) => {
    clearTimeout(timer)
    // The worker holds this lock until it ends.
    if (data.kind === 'joined') locked(data.lock, signal, () => hear({ kind: 'lost', canShare: true }))
    else hear(data)
  })
  port.start()
  const lock = `stepward tab ${crypto.randomUUID()}`
  locked(lock, signal, () => {
    port.postMessage({ lock })
    return new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  return () => {
    clearTimeout(timer)
    left.abort()
    port.close()
  }
}

/**
 * Calls `action` with a lock, unless the signal aborts before. The lock is held until the promise of the action resolves.
 *
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {() => unknown} action
 */
function locked(name, signal, action) {
  navigator.locks.request(name, { signal }, action).catch(() => undefined)
}
