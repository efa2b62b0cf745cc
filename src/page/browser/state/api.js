import { signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Why this browser must be signed in again, or an empty text. */
export const signedOut = signal('')

/** The number of requests that have waited long for their answer. */
export const slowRequests = signal(0)

/** The time after which a request counts as slow. */
const slowMs = 2_500
/** The pause before a read that failed for a while is repeated. */
const againMs = 5_000

/** An answer of the server that is not a success. */
class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function ask(path, init) {
  const { response, answer } = await noticed(async () => {
    try {
      const response = await fetch(path, init)
      return { response, answer: await response.json() }
    } catch {
      throw new ApiError(0, 'the server of this page does not answer: is "stepward page" still running?')
    }
  })
  const message = String(answer?.error?.message ?? response.statusText)
  if (answer?.error?.name === 'NotSignedIn') signedOut.value = message
  if (response.ok) return answer
  throw new ApiError(response.status, message)
}

/**
 * Counts a request as slow while it waits long.
 *
 * @template T
 * @param {() => Promise<T>} request
 */
async function noticed(request) {
  const noted = { isSlow: false }
  const timer = setTimeout(() => {
    noted.isSlow = true
    slowRequests.value += 1
  }, slowMs)
  try {
    return await request()
  } finally {
    clearTimeout(timer)
    if (noted.isSlow) slowRequests.value -= 1
  }
}

/**
 * Checks whether a request failed for a while only: the server or the store did not answer, or refused for now. An action
 * may have been carried out nevertheless.
 *
 * @param {unknown} reason
 */
export function isUnclear(reason) {
  return reason instanceof ApiError && (reason.status === 0 || reason.status >= 500)
}

/**
 * Carries out an action, named by its command.
 *
 * @param {string} action
 * @param {unknown} body
 */
export function act(action, body) {
  return send(`/api/actions/${action.replaceAll(' ', '/')}`, body)
}

/**
 * Stops an action on many jobs, wherever it was begun.
 *
 * @param {string} id
 */
export function stopOperation(id) {
  return send('/api/operations/stop', { id })
}

/**
 * @param {string} path
 * @param {unknown} body
 */
function send(path, body) {
  const headers = { 'content-type': 'application/json' }
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** @param {string} path */
export function read(path) {
  return ask(path)
}

/**
 * @template T
 * @typedef {{ data: T | null, error: string | null, isReading: boolean, reload: () => void,
 *   change: (change: (data: T) => T) => void }} Loaded
 */

/**
 * A read that waits for its answer. The answer may lack the changes that are shown meanwhile, so they are applied to it.
 * `isCut` says that there were too many, so the read must be repeated.
 *
 * @template T
 * @typedef {{ changes: ((data: T) => T)[], isCut: boolean }} UnderWay
 */

/** The most changes that a read remembers. A store that is away may answer only after a long time. */
const mostChanges = 1_000

/**
 * @template T
 * @param {UnderWay<T>} read
 * @param {(data: T) => T} how
 */
function noteChange(read, how) {
  if (read.changes.length >= mostChanges) {
    read.changes = []
    read.isCut = true
  }
  read.changes.push(how)
}

/**
 * Reads an address of the API, and again when it changes or when `reload` is called. What was read before
 * stays until the next answer, or until the server says that it does not exist. A read that failed for a while is repeated. A null
 * address reads nothing. `how` reads the address in another way, such as in several requests.
 *
 * @template T
 * @param {string | null} path
 * @param {(path: string) => Promise<T>} [how]
 * @returns {Loaded<T>}
 */
export function useLoaded(path, how = read) {
  const [found, setFound] = useState(
    /** @type {{ path: string | null, data: T | null }} */ ({ path, data: null }),
  )
  const [error, setError] = useState(/** @type {Error | null} */ (null))
  const [isReading, setReading] = useState(path !== null)
  const underWay = useRef(/** @type {UnderWay<T> | null} */ (null))
  const newestHow = useRef(how)
  newestHow.current = how
  const reload = useCallback(() => {
    if (path === null) return
    const mine = /** @type {UnderWay<T>} */ ({ changes: [], isCut: false })
    underWay.current = mine
    setReading(true)
    newestHow
      .current(path)
      .then(
        (data) => {
          if (mine !== underWay.current) return
          setFound({ path, data: mine.changes.reduce((known, how) => how(known), data) })
          setError(null)
        },
        (/** @type {unknown} */ reason) => {
          if (mine !== underWay.current) return
          setError(/** @type {Error} */ (reason))
          if (reason instanceof ApiError && reason.status === 404) setFound({ path, data: null })
        },
      )
      .finally(() => {
        if (mine !== underWay.current) return
        underWay.current = null
        if (mine.isCut) reload()
        else setReading(false)
      })
  }, [path])
  useEffect(() => {
    setError(null)
    reload()
    return () => {
      underWay.current = null
    }
  }, [reload])
  useEffect(() => {
    if (!isUnclear(error)) return undefined
    const timer = setTimeout(reload, againMs)
    return () => clearTimeout(timer)
  }, [error, reload])
  const change = useCallback(
    /** @param {(data: T) => T} how */
    (how) => {
      if (underWay.current !== null) noteChange(underWay.current, how)
      // An answer may come after the view has begun to show another path.
      setFound((old) => (old.data === null || old.path !== path ? old : { ...old, data: how(old.data) }))
    },
    [path],
  )
  const data = found.path === path ? found.data : null
  return { data, error: problemText(error, data !== null), isReading, reload, change }
}

/**
 * @param {Error | null} error
 * @param {boolean} hasData
 */
function problemText(error, hasData) {
  if (error === null) return null
  if (!isUnclear(error)) return error.message
  const kept = hasData ? ' What you see was read before.' : ''
  const end = /[.?!]$/u.test(error.message) ? '' : '.'
  return `${error.message}${end}${kept} The page tries again.`
}
