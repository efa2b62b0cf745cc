/**
 * @import { Operation, Report } from '../state/shapes.js'
 * @import { Asked } from './action-dialog.js'
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { actionKinds } from '../state/action-kinds.js'
import { act, isUnclear, read, stopOperation } from '../state/api.js'

const unclear =
  'The action may have been carried out. The view behind this dialog is read again, and then shows whether it was.'
/** The pause between two reads of the progress. */
const lookMs = 400

/**
 * Carries out what a dialog asks, and keeps the progress and the result. The server goes on with an action if
 * the dialog is closed.
 *
 * @param {Asked} present
 */
export function useRun({ kind, jobs = [], filter, schedule, limit, target, onDone }) {
  const [isBusy, setBusy] = useState(false)
  const [report, setReport] = useState(/** @type {Report | null} */ (null))
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [progress, setProgress] = useState(/** @type {Progress | null} */ (null))
  const operation = useRef(/** @type {string | null} */ (null))
  const isStopped = useRef(false)
  const isTrying = useRef(false)
  const isOnMany = target === undefined && (filter !== undefined || jobs.length > 1)
  useEffect(() => {
    if (!isBusy) return undefined
    const timer = setInterval(() => {
      const id = operation.current
      // The action may begin on the server after a person has stopped it.
      if (id !== null && isStopped.current) void stopOperation(id).catch(() => undefined)
      if (id !== null) void progressOf(id).then((found) => found !== null && setProgress(found))
    }, lookMs)
    return () => clearInterval(timer)
  }, [isBusy])
  const stop = () => {
    isStopped.current = true
    if (operation.current !== null) void stopOperation(operation.current).catch(() => undefined)
  }
  /**
   * @param {object} body
   * @param {boolean} isDryRun
   */
  const run = async (body, isDryRun) => {
    isStopped.current = false
    isTrying.current = isDryRun
    // If more jobs match by now than the person has seen, the server refuses.
    const atMost = report?.isDryRun === true ? { atMost: report.done.length + report.refused.length } : {}
    setBusy(true)
    setError(null)
    setReport(null)
    const [only] = jobs
    const shared = { ...body, ...(actionKinds[kind].hasDryRun ? { dryRun: isDryRun } : {}) }
    /** @param {object} which */
    const many = (which) => {
      operation.current = crypto.randomUUID()
      return act(kind, { ...shared, ...which, operation: operation.current })
    }
    try {
      if (target !== undefined) setReport(await act(kind, shared))
      else if (schedule !== undefined) setReport(await act(kind, { ...shared, schedule }))
      else if (actionKinds[kind].on !== 'jobs' && limit === undefined) setReport(await act(kind, shared))
      else if (limit !== undefined) setReport(await act(kind, { ...shared, key: limit }))
      else if (filter !== undefined) setReport(await many({ filter, ...(isDryRun ? {} : atMost) }))
      else if (jobs.length === 1 && only !== undefined) setReport(await act(kind, { ...shared, job: only }))
      else setReport(await many({ jobs }))
    } catch (reason) {
      const { message } = /** @type {Error} */ (reason)
      setError(isUnclear(reason) ? `${message}. ${isDryRun ? 'Nothing was written.' : unclear}` : message)
    } finally {
      // The answer of an action may be lost, so the view reads again in any case.
      if (!isDryRun) onDone?.()
      operation.current = null
      isTrying.current = false
      setProgress(null)
      setBusy(false)
    }
  }
  // The result of a dry run is lost when the dialog closes.
  useEffect(() => () => (isTrying.current ? stop() : undefined), [])
  return { isBusy, report, error, progress, run, stop: isOnMany ? stop : null }
}

/** @typedef {{ reached: number, total: number }} Progress */

/**
 * @param {string} id
 * @returns {Promise<Progress | null>}
 */
async function progressOf(id) {
  try {
    const operations = /** @type {Operation[]} */ (await read('/api/operations'))
    const found = operations.find((one) => one.id === id)
    return found === undefined || found.total === null ? null : { reached: found.reached, total: found.total }
  } catch {
    return null
  }
}
