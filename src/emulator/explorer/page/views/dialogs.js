import { field, fill, h, textOf } from './dom.js'

/**
 * A text that a form asks for.
 *
 * @typedef {object} Question
 * @property {string} name
 * @property {string} label
 * @property {string} [value]
 * @property {string} [placeholder]
 * @property {'text' | 'password'} [type]
 */

/**
 * @typedef {object} Form
 * @property {string} title
 * @property {string} [text]
 * @property {readonly Question[]} [questions]
 * @property {string} action the label of the button that confirms
 * @property {boolean} [isDanger]
 * @property {(answers: Readonly<Record<string, string>>) => unknown} run
 */

/**
 * Asks in a dialog. Resolves when the action is done or the user cancels. If the action fails, the dialog
 * stays open and shows the reason.
 *
 * @param {Form} form
 * @returns {Promise<boolean>} whether the action was done
 */
export function ask({ title, text, questions = [], action, isDanger = false, run }) {
  const problem = h('p', { className: 'problem', role: 'alert' })
  const inputs = questions.map(({ name, value = '', placeholder = '', type = 'text' }) =>
    h('input', { name, value, placeholder, type, required: true, autocomplete: 'off', spellcheck: false }),
  )
  const confirm = h('button', { className: isDanger ? 'danger' : 'primary' }, action)
  const cancel = h('button', { type: 'button' }, 'Cancel')
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', {}, title),
    text === undefined ? null : h('p', {}, text),
    ...inputs.map((input, index) => field(questions[index]?.label ?? '', input)),
    problem,
    h('div', { className: 'actions' }, cancel, confirm),
  )
  const dialog = opened(form)
  cancel.onclick = () => {
    dialog.close()
  }
  return new Promise((resolve) => {
    let isDone = false
    form.onsubmit = async (event) => {
      event.preventDefault()
      confirm.disabled = true
      try {
        await run(Object.fromEntries(inputs.map((input) => [input.name, input.value])))
        isDone = true
        dialog.close()
      } catch (error) {
        fill(problem, textOf(error))
      } finally {
        confirm.disabled = false
      }
    }
    dialog.addEventListener('close', () => {
      resolve(isDone)
    })
  })
}

/**
 * Opens a dialog. Removes it from the page when it is closed.
 *
 * @param {HTMLElement} content
 * @param {string} [className]
 */
export function opened(content, className = '') {
  const dialog = h('dialog', { className }, content)
  dialog.addEventListener('close', () => {
    dialog.remove()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}
