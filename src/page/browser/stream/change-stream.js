/**
 * A message to a tab. After `broken`, the stream is opened again. `isRefused` says that the server has refused it.
 *
 * @typedef {{ kind: 'ready' } | { kind: 'changes', text: string } | { kind: 'trouble', message: string | null }
 *   | { kind: 'broken', isRefused: boolean }} Told
 */

/** The pause before a stream that was refused is opened again. */
const againMs = 3_000

/**
 * The stream of changes. States: closed → open (`open`) → closed (`close`). While it is open, it opens itself
 * again after a refusal. After a break, the browser does that.
 *
 * @param {(told: Told) => void} tell
 */
export function changeStream(tell) {
  /** @type {EventSource | null} */
  let source = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function open() {
    if (source !== null) return
    clearTimeout(timer)
    const opened = new EventSource('/api/changes')
    source = opened
    opened.addEventListener('ready', () => tell({ kind: 'ready' }))
    opened.addEventListener('changes', ({ data }) => tell({ kind: 'changes', text: data }))
    opened.addEventListener('trouble', ({ data }) =>
      tell({ kind: 'trouble', message: JSON.parse(data).message }),
    )
    opened.addEventListener('error', () => {
      const isRefused = opened.readyState === EventSource.CLOSED
      if (isRefused) {
        source = null
        timer = setTimeout(open, againMs)
      }
      tell({ kind: 'broken', isRefused })
    })
  }

  function close() {
    clearTimeout(timer)
    source?.close()
    source = null
  }

  return { open, close }
}
