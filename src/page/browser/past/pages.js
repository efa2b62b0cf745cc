/** @import { HistoryPage } from './moments.js' */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { addressOf } from '../state/address.js'
import { read } from '../state/api.js'
import { newestPosition } from './moments.js'

/** The least number of changed documents of a page. */
const limit = 200

/** The most pages that are read by themselves, to find the moment that an address names. */
const mostPages = 50

/**
 * Reads the history of a job page by page, as far as the moment that is wanted.
 *
 * @param {{ jobId: string, partitionKey: string | null }} job
 * @param {string | null} wanted
 */
export function useHistory({ jobId, partitionKey }, wanted) {
  const [pages, setPages] = useState(/** @type {HistoryPage[]} */ ([]))
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [isReading, setReading] = useState(false)
  const isBusy = useRef(false)
  const known = useRef(pages)
  known.current = pages
  const readMore = useCallback(async () => {
    if (isBusy.current) return
    isBusy.current = true
    setReading(true)
    try {
      const after = newestPosition(known.current)
      const page = /** @type {HistoryPage} */ (
        await read(addressOf('/api/history', { jobId, partitionKey, after, limit: String(limit) }))
      )
      // A record without a position is read whole again.
      setPages((old) => (after === null ? [page] : [...old, page]))
      setError(null)
    } catch (reason) {
      setError(/** @type {Error} */ (reason).message)
    } finally {
      isBusy.current = false
      setReading(false)
    }
  }, [jobId, partitionKey])
  const isFound = wanted === null || pages.some(({ moments }) => moments.some((one) => one.moment === wanted))
  const isOpen = pages.length === 0 || (!isFound && pages.at(-1)?.next !== null && pages.length < mostPages)
  useEffect(() => {
    if (isOpen && error === null) void readMore()
  }, [isOpen, pages, error, readMore])
  return { pages, error, isReading, readMore }
}
