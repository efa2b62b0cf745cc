import { momentText } from '../state/formats.js'
import { html } from './html.js'

/**
 * A table of decisions of operators.
 *
 * @param {{ rows: { at: string, by: string, what: unknown, why: string }[], none: string }} props
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
        ({ at, by, what, why }) =>
          html`<tr>
            <td title=${at}>${momentText(at, Date.now())}</td>
            <td><bdi>${by}</bdi></td>
            <td>${what}</td>
            <td><bdi>${why}</bdi></td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
