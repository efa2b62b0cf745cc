import { differenceOf } from '../state/difference.js'
import { counted } from '../state/formats.js'
import { html } from './html.js'

/**
 * The smallest parts in which two values differ.
 *
 * @param {{ left: unknown, right: unknown }} props
 */
export function DifferenceList({ left, right }) {
  const { rows, others, same } = differenceOf(left, right)
  return html`${
    rows.length === 0
      ? html`<p class="quiet">There is no difference.</p>`
      : html`<ol class="difference">
            ${rows.map(
              (row) =>
                html`<li>
                  <code><bdi>${row.path}</bdi></code>
                  <del class=${row.left === null ? 'none' : ''}><bdi>${row.left ?? 'nothing'}</bdi></del>
                  <ins class=${row.right === null ? 'none' : ''}><bdi>${row.right ?? 'nothing'}</bdi></ins>
                </li>`,
            )}
          </ol>`
  }
    ${others === 0 ? null : html`<p class="quiet">And ${counted(others, 'other part', 'other parts')}.</p>`}
    <p class="quiet">${counted(same, 'part is', 'parts are')} the same.</p>`
}
