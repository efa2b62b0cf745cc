/** @import { Field } from '../state/answer-forms.js' */
/** @import { Question } from '../state/shapes.js' */
import { about } from '../state/about.js'
import { untilText } from '../state/formats.js'
import { html } from './html.js'

/**
 * The fields of the answer to a question.
 *
 * @param {{ question: Question, fields: Field[], texts: string[], note: string,
 *   setTexts: (texts: string[]) => void, setNote: (note: string) => void }} props
 */
export function AnswerFields({ question, fields, texts, note, setTexts, setNote }) {
  const { title, assignees, expiresAt } = question
  return html`<p class="message">${title}</p>
    <p class="quiet">
      <bdi>${assignees.length === 0 ? 'For anyone' : `For ${assignees.join(', ')}`}</bdi>
      ${`, the time for the answer ends ${untilText(expiresAt, Date.now())}`}
    </p>
    ${fields.map(
      (field, index) =>
        html`<${AnswerField}
          field=${field}
          id=${`answer-${index}`}
          text=${texts[index] ?? ''}
          setText=${(/** @type {string} */ text) => setTexts(texts.with(index, text))}
        />`,
    )}
    <label>
      ${`Note (optional), stored with ${about.value === null ? 'your answer' : `the answer of ${about.value.by}`}`}
      <input
        name="note"
        type="text"
        value=${note}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setNote(currentTarget.value)}
      />
    </label>`
}

/** @param {{ field: Field, id: string, text: string, setText: (text: string) => void }} props */
function AnswerField({ field, id, text, setText }) {
  const { kind, label, hint, isNeeded, choices } = field
  /** @param {{ currentTarget: { value: string } }} event */
  const onInput = ({ currentTarget: { value } }) => setText(value)
  const shared = {
    name: id,
    value: text,
    onInput,
    'aria-describedby': hint === '' ? undefined : `${id}-hint`,
  }
  const control =
    kind === 'boolean' || kind === 'enum'
      ? html`<select ...${shared}>
          <option value="">${isNeeded ? 'choose …' : 'no answer'}</option>
          ${
            kind === 'boolean'
              ? html`<option value="true">yes</option>
                  <option value="false">no</option>`
              : choices.map((choice) => html`<option value=${choice}>${nameOf(choice)}</option>`)
          }
        </select>`
      : kind === 'json'
        ? html`<textarea rows="6" spellcheck=${false} ...${shared}></textarea>`
        : html`<input type="text" inputmode=${kind === 'number' ? 'decimal' : undefined} autocomplete="off" ...${shared} />`
  return html`<label>
      <span><bdi>${label}</bdi>${kind === 'json' ? ', as JSON' : ''}${isNeeded ? '' : ' (optional)'}</span>
      ${control}
    </label>
    ${hint === '' ? null : html`<p class="quiet hint" id=${`${id}-hint`}><bdi>${hint}</bdi></p>`}`
}

/**
 * A choice as people read it: a text without its quotes.
 *
 * @param {string} choice
 */
function nameOf(choice) {
  const value = /** @type {unknown} */ (JSON.parse(choice))
  return typeof value === 'string' && value !== '' ? value : choice
}
