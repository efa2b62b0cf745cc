import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.js'

/**
 * The only button after an action. It takes the keyboard from the button that is gone.
 *
 * @param {{ close: () => void }} props
 */
export function LastButton({ close }) {
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null))
  useLayoutEffect(() => button.current?.focus(), [])
  return html`<button ref=${button} type="button" class="primary" onClick=${close}>Close</button>`
}

/**
 * The buttons that try the action and carry it out. If the action must be tried first, “Dry run” is the only button.
 *
 * @param {{ tryIt: (() => void) | null, mustTry: boolean, mayTry: boolean, mayAct: boolean, isTriedFirst: boolean,
 *   text: string }} props
 */
export function ActingButtons({ tryIt, mustTry, mayTry, mayAct, isTriedFirst, text }) {
  if (mustTry) return html`<button type="submit" class="primary" disabled=${!mayTry}>Dry run</button>`
  return html`${tryIt === null ? null : html`<button type="button" disabled=${!mayTry} onClick=${tryIt}>Dry run</button>`}
    <${ActButton} key=${text} mayAct=${mayAct} isLate=${isTriedFirst} text=${text} />`
}

/** The time for which a second click or Enter of the same gesture cannot act. */
const lateMs = 800

/**
 * The button that acts. If the action is tried first, this button is enabled late, because it may stand where “Dry run” was
 * clicked.
 *
 * @param {{ mayAct: boolean, isLate: boolean, text: string }} props
 */
function ActButton({ mayAct, isLate, text }) {
  const [isReady, setReady] = useState(!isLate)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), lateMs)
    return () => clearTimeout(timer)
  }, [])
  return html`<button type="submit" class="primary" disabled=${!mayAct || !isReady}>${text}</button>`
}

/**
 * Ignores the repeats of a key that is held down, which would press one button after the other.
 *
 * @param {KeyboardEvent} event
 */
export function withoutRepeats(event) {
  if (event.key === 'Enter' && event.repeat) event.preventDefault()
}
