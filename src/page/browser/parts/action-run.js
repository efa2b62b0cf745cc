/**
 * @import { Report } from '../state/shapes.js'
 * @import { Asked } from './action-dialog.js'
 */
import { useRef, useState } from 'preact/hooks'
import { actionKinds } from '../state/action-kinds.js'
import { act } from '../state/api.js'

/** The number of jobs in one request, so that the progress is shown and the action can be stopped. */
const atOnce = 20

/**
 * Carries out what a dialog asks, and keeps the progress and the result.
 *
 * @param {Asked} present
 */
export function useRun({ kind, jobs = [], filter, schedule, onDone }) {
  const [isBusy, setBusy] = useState(false)
  const [report, setReport] = useState(/** @type {Report | null} */ (null))
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [reached, setReached] = useState(/** @type {number | null} */ (null))
  const isStopped = useRef(false)
  const mayContinue = () => !isStopped.current
  const stop = () => {
    isStopped.current = true
  }
  /**
   * @param {object} body
   * @param {boolean} isDryRun
   */
  const run = async (body, isDryRun) => {
    isStopped.current = false
    setBusy(true)
    setError(null)
    setReport(null)
    const [only] = jobs
    const dry = actionKinds[kind].hasDryRun ? { dryRun: isDryRun } : {}
    /** @type {Report} */
    let sum = { isDryRun, done: [], refused: [] }
    try {
      if (schedule !== undefined) sum = await act(kind, { ...body, ...dry, schedule })
      else if (filter !== undefined) sum = await act(kind, { ...body, ...dry, filter })
      else if (jobs.length === 1 && only !== undefined) sum = await act(kind, { ...body, ...dry, job: only })
      else {
        for (let from = 0; from < jobs.length && mayContinue(); from += atOnce) {
          setReached(from)
          const part = await act(kind, { ...body, ...dry, jobs: jobs.slice(from, from + atOnce) })
          sum = { isDryRun, done: [...sum.done, ...part.done], refused: [...sum.refused, ...part.refused] }
          setReport(sum)
        }
      }
      setReport(sum)
    } catch (reason) {
      setError(/** @type {Error} */ (reason).message)
    } finally {
      // The answer of an action may be lost, so the view reads again in any case.
      if (!isDryRun) onDone?.()
      setReached(null)
      setBusy(false)
    }
  }
  return { isBusy, report, error, reached, run, stop }
}
