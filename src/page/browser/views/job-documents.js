/** @import { Documents, Job } from '../state/shapes.js' */
import { useState } from 'preact/hooks'
import { JsonBox, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { counted, unitsText } from '../state/formats.js'

/**
 * The stored documents of a job, and on request those of the user in its partition. Nothing is read before a person
 * opens the panel.
 *
 * @param {{ job: Job }} props
 */
export function StoredDocuments({ job: { jobId, partitionKey } }) {
  const [isOpen, setOpen] = useState(false)
  const [others, setOthers] = useState(/** @type {'true' | null} */ (null))
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Documents>} */ (
    useLoaded(isOpen ? addressOf('/api/documents', { jobId, partitionKey, others }) : null)
  )
  return html`<details
    class="panel documents"
    onToggle=${(/** @type {{ currentTarget: HTMLDetailsElement }} */ event) => setOpen(event.currentTarget.open)}
  >
    <summary><h2>Stored documents</h2></summary>
    <${Problem} error=${error} />
    ${
      data === null
        ? isOpen && error === null
          ? html`<p class="quiet">…</p>`
          : null
        : html`<p class="quiet">${`As they are stored, without secret values. Read for ${unitsText(data.charge)} RU.`}</p>
            <p class="buttons start">
              <button type="button" onClick=${reload}>Read again</button>
              ${
                others === null
                  ? html`<button type="button" onClick=${() => setOthers('true')}>Also read your documents in the partition</button>`
                  : null
              }
            </p>
            <${JsonBox} title="The job" value=${data.job} />
            ${data.steps.map((step) => html`<${JsonBox} title=${`Step ${step.stepId ?? ''}`} value=${step} />`)}
            ${data.others === null ? null : html`<${Others} others=${data.others} />`}`
    }
  </details>`
}

/** @param {{ others: NonNullable<Documents['others']> }} props */
function Others({ others: { documents, isCut } }) {
  return html`<p>${`${counted(documents.length, 'document', 'documents')} of yours${isCut ? ', the first ones' : ''}.`}</p>
    ${documents.map(({ id, document }) =>
      document === null
        ? html`<p><bdi>${id}</bdi> <span class="quiet">is not shown, because the job has secret values.</span></p>`
        : html`<${JsonBox} title=${id} value=${document} />`,
    )}`
}
