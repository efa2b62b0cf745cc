/** @import { Line } from '../state/tail.js' */
import { useRef, useState } from 'preact/hooks'
import { Link, StateBadge } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { address, addressOf, jobAddress, open } from '../state/address.js'
import { counted } from '../state/formats.js'
import { useChanges } from '../state/live.js'
import { isLineWith, withChanges } from '../state/tail.js'

/** The changes of jobs and steps as they happen. */
export function TailView() {
  const text = address.value.query.get('text') ?? ''
  const [lines, setLines] = useState(/** @type {readonly Line[]} */ ([]))
  const [heldFrom, setHeldFrom] = useState(/** @type {number | null} */ (null))
  const newest = useRef(/** @type {readonly Line[]} */ ([]))
  const [newestKey, setNewestKey] = useState(0)
  useChanges((changes) => {
    if (changes === null) return
    newest.current = withChanges(newest.current, changes, new Date().toISOString())
    setNewestKey(newest.current[0]?.key ?? 0)
    if (heldFrom === null) setLines(newest.current)
  })
  const hold = () => {
    if (heldFrom !== null) setLines(newest.current)
    setHeldFrom(heldFrom === null ? newestKey : null)
  }
  const clear = () => {
    newest.current = []
    setLines([])
    setHeldFrom(null)
  }
  const shown = lines.filter((line) => isLineWith(line, text))
  return html`<h1>Live tail</h1>
    <div class="filters">
      <label
        >Job, step, state or message
        <input
          type="search"
          value=${text}
          onInput=${(/** @type {any} */ event) =>
            open(addressOf('/tail', { text: event.currentTarget.value }), true)}
      /></label>
      <button type="button" onClick=${hold}>
        ${heldFrom === null ? 'Hold' : `Continue, ${counted(newestKey - heldFrom, 'change waits', 'changes wait')}`}
      </button>
      <button type="button" onClick=${clear}>Clear</button>
    </div>
    <section class="panel" aria-label="Changes">
      ${
        shown.length === 0
          ? html`<p class="quiet">
              ${lines.length === 0 ? 'Nothing has changed since this view was opened.' : 'No change matches.'}
            </p>`
          : html`<ol class="rows tail">
              ${shown.map((line) => html`<${Row} key=${line.key} line=${line} />`)}
            </ol>`
      }
    </section>`
}

/** @param {{ line: Line }} props */
function Row({ line: { at, jobId, partitionKey, what, state, more } }) {
  return html`<li>
    <time datetime=${at}>${at.slice(11, 23)}</time>
    ${state === '' ? null : html`<${StateBadge} state=${state} />`}
    ${jobId === '' ? null : html`<${Link} to=${jobAddress({ jobId, partitionKey })} class="id">${jobId}<//>`}
    <span>${what}</span> <span class="quiet"><bdi>${more}</bdi></span>
  </li>`
}
