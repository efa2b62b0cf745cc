/** @import { Question } from './state/shapes.js' */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AnswerFields } from './parts/answer-fields.js'
import { html } from './parts/html.js'
import { answerOf, fieldsOf } from './state/answer-forms.js'

/** @typedef {{ title: string, expiresAt: string, form: unknown, assignee: string }} Asked */

/**
 * Sends a request with the secret part of the link. Browsers do not send that part by themselves.
 *
 * @param {string} path
 * @param {unknown} body
 */
async function send(path, body) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${location.hash.slice(1)}`,
  }
  try {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer = await response.json()
    return response.ok
      ? { value: /** @type {unknown} */ (answer), problem: '' }
      : { value: null, problem: String(answer?.error?.message ?? response.statusText) }
  } catch {
    return { value: null, problem: 'The server does not answer. Try again later.' }
  }
}

function AnswerPage() {
  const [asked, setAsked] = useState(/** @type {Asked | null} */ (null))
  const [problem, setProblem] = useState('')
  const [isGiven, setGiven] = useState(false)
  useEffect(() => {
    void send('/answer/question', {}).then(({ value, problem: refused }) => {
      setAsked(/** @type {Asked | null} */ (value))
      setProblem(refused)
    })
  }, [])
  return html`<main id="main" class="answer-page">
    <p class="brand"><img src="/page/icon.svg" alt="" width="20" height="20" /> Stepward</p>
    <div class="panel">
      ${
        isGiven
          ? html`<${Given} />`
          : asked !== null
            ? html`<${Form} asked=${asked} onGiven=${() => setGiven(true)} />`
            : problem === ''
              ? html`<h1>Answer a question</h1>
                  <p role="status" class="quiet">Reading the question …</p>`
              : html`<${NotOpen} problem=${problem} />`
      }
    </div>
  </main>`
}

function Given() {
  return html`<h1><span class="good" aria-hidden="true">✓</span> Thank you</h1>
    <p role="status">Your answer is stored. You can close this window.</p>`
}

/**
 * What a person can do with a link that opens no question. The server gives every such link the same words, so this
 * view cannot say which of the reasons applies.
 *
 * @param {{ problem: string }} props
 */
function NotOpen({ problem }) {
  return html`<h1>No question is open here</h1>
    <p role="status" class="problem"><bdi>${problem}</bdi></p>
    <ul>
      <li>If you have answered with this link before, your answer is stored, and nothing is left to do.</li>
      <li>If another person has answered, or the time for the answer is over, no answer is needed any more.</li>
      <li>If the link has expired, or was cut off in a message, ask the person who sent it for a new link.</li>
    </ul>
    <p><button type="button" onClick=${() => location.reload()}>Try again</button></p>`
}

/** @param {{ asked: Asked, onGiven: () => void }} props */
function Form({ asked, onGiven }) {
  const { title, expiresAt, form, assignee } = asked
  const fields = fieldsOf(form)
  const [texts, setTexts] = useState(fields.map(({ first }) => first))
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault()
    const given = answerOf(fields, texts)
    setProblem(given.problem)
    if (given.problem !== '') return
    setBusy(true)
    const { problem: refused } = await send('/answer', { answer: given.answer, note: note.trim() })
    setBusy(false)
    if (refused === '') onGiven()
    else setProblem(refused)
  }
  const question = /** @type {Question} */ ({ title, expiresAt, form, assignees: [assignee] })
  return html`<h1>Answer a question</h1>
  <form onSubmit=${submit}>
    <${AnswerFields}
      question=${question}
      fields=${fields}
      texts=${texts}
      note=${note}
      setTexts=${setTexts}
      setNote=${setNote}
    />
    ${problem === '' ? null : html`<p role="alert" class="problem"><bdi>${problem}</bdi></p>`}
    <div class="buttons">
      <span class="quiet">Only the first answer counts.</span>
      <button type="submit" class="primary" disabled=${isBusy}>Answer</button>
    </div>
  </form>`
}

const place = document.querySelector('#page')
if (place !== null) render(html`<${AnswerPage} />`, place)
