import { deleteContainer } from '../account/resources.js'
import { ask } from './dialogs.js'
import { button, h } from './dom.js'
import { jsonText } from './formats.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 */

/**
 * Shows how a container is defined, and deletes it on request.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {() => unknown} deleted called after the container was deleted
 */
export function definitionView(account, place, deleted) {
  const remove = button(
    'Delete container',
    async () => {
      const isDone = await ask({
        title: `Delete the container ${place.container}?`,
        text: 'All its items are deleted with it.',
        action: 'Delete container',
        isDanger: true,
        run: () => deleteContainer(account, place),
      })
      if (isDone) await deleted()
    },
    { className: 'danger' },
  )
  return {
    element: h('div', {}, h('pre', {}, jsonText(place.definition)), h('div', { className: 'bar' }, remove)),
  }
}
