/** @import { DeadLetter } from '../state/shapes.js' */
import { about } from '../state/about.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { deadLettersCommand } from '../state/commands.js'
import { agoText } from '../state/formats.js'
import { Command, Panel, Problem } from './basics.js'
import { html } from './html.js'

/** The changes that a processor has set aside, once the view is told in which container they are. */
export function DeadLetters() {
  const container = address.value.query.get('deadLetters')
  const { data, error, isReading, reload } = /** @type {import('../state/api.js').Loaded<DeadLetter[]>} */ (
    useLoaded(container === null ? null : addressOf('/api/dead-letters', { container }))
  )
  const choose = (/** @type {any} */ event) => {
    const query = Object.fromEntries(address.value.query)
    open(addressOf('/leases', { ...query, deadLetters: event.currentTarget.value.trim() }), true)
  }
  return html`<${Panel} title="Dead letters">
    <form class="filters" aria-label="Dead letters" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label
        >Container
        <input name="deadLetters" placeholder="name, then Enter" value=${container ?? ''} onChange=${choose}
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
              <${Command} text=${deadLettersCommand(container, about.value?.storeArguments ?? [])} />`
    }
  <//>`
}

/** @param {{ letters: readonly DeadLetter[] }} props */
function Letters({ letters }) {
  if (letters.length === 0) return html`<p class="good">No change is set aside in this container.</p>`
  return html`<ul class="rows">
    ${letters.map(
      ({ id, documentId, leaseToken, at, error }) =>
        html`<li key=${id}>
          <bdi class="id">${documentId}</bdi>
          <span class="quiet">${`lease ${leaseToken}, ${agoText(at, Date.now())}`}</span>
          <bdi>${error}</bdi>
        </li>`,
    )}
  </ul>`
}
