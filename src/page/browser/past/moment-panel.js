/** @import { Documents, Moment, Standing } from './moments.js' */
import { JsonBox, Link, Panel, Problem } from '../parts/basics.js'
import { DifferenceList } from '../parts/difference-list.js'
import { html } from '../parts/html.js'
import { address, addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { momentText, unitsText } from '../state/formats.js'
import { documentsAt, nameOf } from './moments.js'

/** The most documents that are listed by name. A job may have a thousand steps. */
const mostListed = 40

/**
 * The documents of a job at one moment, and the chosen one with its difference to the version before.
 *
 * @param {{ job: { jobId: string, partitionKey: string | null }, moments: readonly Moment[], index: number }} props
 */
export function MomentPanel({ job, moments, index }) {
  const documents = documentsAt(moments, index)
  const wanted = address.value.query.get('document')
  const chosen = documents.find(({ document }) => document === wanted) ?? documents[0]
  const moment = moments[index]
  if (chosen === undefined || moment === undefined) return null
  const listed = documents.slice(0, mostListed)
  if (!listed.includes(chosen)) listed.push(chosen)
  return html`<${Panel} title=${`Documents at ${momentText(moment.at, Date.now())}`}>
    <ul class="standing">
      ${listed.map(
        (one) =>
          html`<li key=${one.document}>
            <${Link}
              to=${addressOf('/history', { ...job, moment: moment.moment, document: one.document })}
              isCurrent=${one === chosen}
              ><bdi>${nameOf(one)}</bdi><//
            >${one.isChanged ? html` <span class="badge">changed</span>` : ''}
          </li>`,
      )}
    </ul>
    ${
      documents.length > listed.length
        ? html`<p class="quiet">${`And ${documents.length - listed.length} more, which this moment did not change.`}</p>`
        : null
    }
    <${Chosen} job=${job} standing=${chosen} key=${chosen.document} />
  <//>`
}

/** @param {{ job: { jobId: string, partitionKey: string | null }, standing: Standing }} props */
function Chosen({ job, standing }) {
  const { data, error } = /** @type {import('../state/api.js').Loaded<Documents>} */ (
    useLoaded(addressOf('/api/history/moment', { ...job, moment: standing.moment }))
  )
  const found = data?.documents.find(({ document }) => document === standing.document)
  if (data === null || found === undefined) {
    return html`<${Problem} error=${error} />${error === null ? html`<p class="quiet">…</p>` : null}`
  }
  const { before, after, kind, what } = found
  return html`<${Problem} error=${error} />
    <h3><bdi>${nameOf(found)}</bdi></h3>
    ${
      standing.isChanged
        ? html`<p><bdi>${what.join('; ')}</bdi></p>
            ${
              kind === 'changed' && before !== null && after !== null
                ? html`<${DifferenceList} left=${before} right=${after} />`
                : html`<p class="quiet">${plainText(kind, after)}</p>`
            }`
        : html`<p class="quiet">
            This moment did not change it. This version is of${' '}
            <${Link} to=${addressOf('/history', { ...job, moment: standing.moment, document: standing.document })}
              >${momentText(data.at, Date.now())}<//
            >.
          </p>`
    }
    <${JsonBox} title=${kind === 'deleted' ? 'Before' : 'The whole document'} value=${kind === 'deleted' ? before : after} />
    <p class="quiet">${`Read for ${unitsText(data.charge)} RU, without secret values.`}</p>`
}

/**
 * @param {string} kind
 * @param {object | null} after
 */
function plainText(kind, after) {
  if (kind === 'created') return 'This is its first version.'
  if (kind === 'deleted') return 'This moment removed it.'
  return after === null ? 'This version cannot be read.' : 'The store does not keep the previous version.'
}
