/** @import { DeadLetter } from '../state/shapes.js' */
import { about } from '../state/about.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { deadLettersCommand } from '../state/commands.js'
import { agoText, counted } from '../state/formats.js'
import { Command, Panel, Problem } from './basics.js'
import { html } from './html.js'

/** The changes that a processor has set aside, for people whose role may see them. */
export function DeadLetters() {
  const known = about.value
  if (known === null) return null
  if (known.may.includes('dead-letters')) return html`<${Chosen} />`
  return html`<${Panel} title="Dead letters">
    <p class="quiet">
      Only people with the role Operator see them, because they contain ids of documents in other containers.
    </p>
  <//>`
}

/** The dead letters of the container that the address names, and the form that names one. */
function Chosen() {
  const { query } = address.value
  const container = query.get('deadLetters')
  const database = query.get('database')
  const { data, error, isReading, reload } = /** @type {import('../state/api.js').Loaded<DeadLetter[]>} */ (
    useLoaded(container === null ? null : addressOf('/api/dead-letters', { container, database }))
  )
  const choose = (/** @type {any} */ event) => {
    const { name, value } = event.currentTarget
    open(addressOf('/leases', { ...Object.fromEntries(query), [name]: value.trim() }), true)
  }
  return html`<${Panel} title="Dead letters">
    <form class="filters" aria-label="Dead letters" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label
        >Container
        <input name="deadLetters" placeholder="name, then Enter" value=${container ?? ''} onChange=${choose}
      /></label>
      <label
        >Database
        <input name="database" placeholder="that of this page" value=${database ?? ''} onChange=${choose}
      /></label>
      ${
        container === null
          ? null
          : html`<button type="button" disabled=${isReading} onClick=${reload}>Read again</button>`
      }
    </form>
    <${Problem} error=${error} />
    ${
      container === null
        ? html`<p class="quiet">
            The roles of Stepward set no change aside. For your own processors, name the container of “deadLetter” in their failurePolicy.
          </p>`
        : data === null
          ? error === null
            ? html`<p class="quiet">…</p>`
            : null
          : html`<${Letters} letters=${data} />
              <p class="quiet">This command prints the messages of the errors, which may contain secret values.</p>
              <${Command} text=${deadLettersCommand({ container, database }, about.value?.storeArguments ?? [])} />`
    }
  <//>`
}

/** @param {{ letters: readonly DeadLetter[] }} props */
function Letters({ letters }) {
  if (letters.length === 0) return html`<p class="good">No change is set aside in this container.</p>`
  const errors = [...new Set(letters.map(({ error }) => error))]
  return errors.map((error) => {
    const rows = letters.filter((letter) => letter.error === error)
    return html`<details key=${error} open=${errors.length === 1}>
      <summary><bdi>${error}</bdi> <span class="quiet">${counted(rows.length, 'change', 'changes')}</span></summary>
      <table>
        <thead>
          <tr>
            <th>Document</th>
            <th>Lease</th>
            <th>Set aside</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ id, documentId, leaseToken, at }) =>
              html`<tr key=${id}>
                <td class="id"><bdi>${documentId}</bdi></td>
                <td><bdi>${leaseToken}</bdi></td>
                <td title=${at}>${agoText(at, Date.now())}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>`
  })
}
