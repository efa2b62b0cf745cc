/**
 * The shared worker that keeps the only stream of a browser open while a tab wants it. A tab that ends sends no message, so each
 * tab holds a lock. A tab that has lost its lock has left.
 */
import { changeStream } from './change-stream.js'

/** @type {Set<MessagePort>} */
const tabs = new Set()

/** What a tab that joins late has missed. */
const present = { isReady: false, trouble: /** @type {string | null} */ (null) }

const stream = changeStream((told) => {
  if (told.kind === 'ready') present.isReady = true
  if (told.kind === 'trouble') present.trouble = told.message
  if (told.kind === 'broken') forget()
  for (const tab of tabs) tab.postMessage(told)
})

/** The lock by which tabs notice that this worker has ended. */
const ownLock = `stepward worker ${crypto.randomUUID()}`
const isHeld = new Promise((resolve) => {
  void navigator.locks.request(ownLock, () => {
    resolve(true)
    return new Promise(() => undefined)
  })
})

addEventListener('connect', (event) => {
  const [tab] = /** @type {MessageEvent} */ (event).ports
  if (tab === undefined) return
  tab.addEventListener('message', ({ data }) => join(tab, data.lock))
  tab.start()
})

/**
 * @param {MessagePort} tab
 * @param {string} lock the lock that the tab holds
 */
function join(tab, lock) {
  tabs.add(tab)
  void isHeld.then(() => tab.postMessage({ kind: 'joined', lock: ownLock }))
  if (present.trouble !== null) tab.postMessage({ kind: 'trouble', message: present.trouble })
  if (present.isReady) tab.postMessage({ kind: 'ready' })
  stream.open()
  void navigator.locks.request(lock, () => leave(tab))
}

/** @param {MessagePort} tab */
function leave(tab) {
  tabs.delete(tab)
  tab.close()
  if (tabs.size > 0) return
  stream.close()
  forget()
}

function forget() {
  present.isReady = false
  present.trouble = null
}
