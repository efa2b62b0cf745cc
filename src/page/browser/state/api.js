import { signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Why this browser must be signed in again, or an empty text. */
export const signedOut = signal('')

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
  let response
  try {
    response = await fetch(path, init)
  } catch {
    throw new ApiError(0, 'the server of this page does not answer: is "stepward page" still running?')
  }
  const answer = await response.json()
  const message = String(answer?.error?.message ?? response.statusText)
  if (answer?.error?.name === 'NotSignedIn') signedOut.value = message
  if (response.ok) return answer
  throw new ApiError(response.status, message)
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
 * Reads an address of the API, and again when it changes or when `reload` is called. What was read before
 * stays until the next answer. A null address reads nothing.
 *
 * @template T
 * @param {string | null} path
 * @returns {Loaded<T>}
 */
export function useLoaded(path) {
  const [found, setFound] = useState(
    /** @type {{ path: string | null, data: T | null }} */ ({ path, data: null }),
  )
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [isReading, setReading] = useState(path !== null)
  const turn = useRef(0)
  const reload = useCallback(() => {
    if (path === null) return
    turn.current += 1
    const mine = turn.current
    setReading(true)
    read(path)
      .then(
        (data) => {
          if (mine !== turn.current) return
          setFound({ path, data })
          setError(null)
        },
        (/** @type {unknown} */ reason) => {
          if (mine === turn.current) setError(/** @type {Error} */ (reason).message)
        },
      )
      .finally(() => {
        if (mine === turn.current) setReading(false)
      })
  }, [path])
  useEffect(() => {
    setError(null)
    reload()
    return () => {
      turn.current += 1
    }
  }, [reload])
  const change = useCallback(
    /** @param {(data: T) => T} how */
    (how) => {
      setFound((old) => (old.data === null ? old : { ...old, data: how(old.data) }))
    },
    [],
  )
  return { data: found.path === path ? found.data : null, error, isReading, reload, change }
}
