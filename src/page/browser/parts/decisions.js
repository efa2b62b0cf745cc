import { editLines, momentText, withMoments } from '../state/formats.js'
import { html } from './html.js'

/**
 * @typedef {{ at: string, by: string, what: unknown, why: string, edit?: Parameters<typeof editLines>[0] }} Row
 */

/**
 * A table of decisions of operators.
 *
 * @param {{ rows: Row[], none: string }} props
 */
export function Decisions({ rows, none }) {
  if (rows.length === 0) return html`<p class="quiet">${none}</p>`
  return html`<table class="decisions">
    <thead>
      <tr>
        <th>When</th>
        <th>Who</th>
        <th>What</th>
        <th>Why</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ at, by, what, why, edit }) =>
          html`<tr>
            <td title=${at}>${momentText(at, Date.now())}</td>
            <td><bdi>${by}</bdi></td>
            <td>${what}</td>
            <td>
              <bdi>${withMoments(why, Date.now())}</bdi>${editLines(edit).map((line) => html`<br /><bdi class="quiet">${line}</bdi>`)}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
