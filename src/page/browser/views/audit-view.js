/** @import { AuditPage, AuditRow } from '../state/shapes.js' */
import { useEffect, useState } from 'preact/hooks'
import { Link, Problem } from '../parts/basics.js'
import { Decisions } from '../parts/decisions.js'
import { html } from '../parts/html.js'
import { addressOf, jobAddress } from '../state/address.js'
import { read, useLoaded } from '../state/api.js'
import { knownDecisions, noneText } from '../state/audit-pages.js'

/** The decisions of operators about all jobs, schedules, limits, pauses and instances, page by page. */
export function AuditView() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<AuditPage>} */ (
    useLoaded('/api/audit')
  )
  const [more, setMore] = useState(/** @type {AuditPage[]} */ ([]))
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  const [text, setText] = useState('')
  useEffect(() => setMore([]), [data])
  const pages = data === null ? [] : [data, ...more]
  const next = pages.at(-1)?.next ?? null
  const older = async () => {
    setProblem(null)
    try {
      const page = /** @type {AuditPage} */ (await read(addressOf('/api/audit', { before: next })))
      setMore([...more, page])
    } catch (reason) {
      setProblem(/** @type {Error} */ (reason).message)
    }
  }
  const rows = knownDecisions(pages).filter((row) => isMatch(row, text))
  return html`<h1>Audit</h1>
    <div class="filters">
      <label
        >Who, what or why
        <input
          type="search"
          value=${text}
          onInput=${(/** @type {any} */ event) => setText(event.currentTarget.value)}
      /></label>
      <button type="button" onClick=${reload}>Read again</button>
    </div>
    <${Problem} error=${error} />
    ${
      data === null
        ? html`<p class="quiet">…</p>`
        : html`<section class="panel">
            <${Decisions}
              rows=${rows.map((row) => ({ ...row, what: html`<${What} row=${row} />` }))}
              none=${noneText(text, next !== null, knownDecisions(pages).length)}
            />
          </section>`
    }
    <${Problem} error=${problem} />
    ${next === null ? null : html`<p><button type="button" onClick=${older}>${text === '' ? 'Older decisions' : 'Search older decisions'}</button></p>`}`
}

/** @param {{ row: AuditRow }} props */
function What({ row }) {
  const { about, command, id, stepId, target } = row
  const to = placeOf(row)
  const named = to === null ? html`<bdi class="id">${id}</bdi>` : html`<${Link} to=${to} class="id">${id}<//>`
  const kind = about === 'job' || about === 'schedule' ? '' : `${about} `
  if (about === 'limit') return html`limit ${named}: ${command}`
  if (about === 'fleet') return html`role ${named}: ${command} (<bdi>${target}</bdi>)`
  return html`${command} ${kind}${named}${stepId === null ? '' : `, step ${stepId}`}`
}

/**
 * Returns the address of what a decision is about, or null if it has no view.
 *
 * @param {AuditRow} row
 */
function placeOf({ about, id, partitionKey }) {
  if (about === 'job') return jobAddress({ jobId: id, partitionKey })
  if (about === 'schedule') return addressOf('/schedules', { schedule: id })
  if (about === 'fleet') return addressOf('/fleet')
  return about === 'limit' ? addressOf('/limits') : null
}

/**
 * @param {AuditRow} row
 * @param {string} text
 */
function isMatch({ by, command, why, id, target }, text) {
  const wanted = text.trim().toLowerCase()
  return [by, command, why, id, target ?? ''].some((part) => part.toLowerCase().includes(wanted))
}
