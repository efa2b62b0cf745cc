import type { Call, Model } from './model.js'

/**
 * Returns a stand-in for a model. It reads a book page by page, notes each page, and publishes the sum of the
 * words. It takes its decisions from the recent moves alone. As a real model does, it words its notes
 * differently each time: `choose` returns any number.
 */
export const standInOf =
  (choose: () => number): Model =>
  async (_goal, { recent, total }) => {
    const last = recent.at(-1)
    if (last === undefined) return null
    const { call, result } = last
    const page = Number.parseInt(call.argument, 10)
    if (call.tool === 'open') return read(1)
    if (call.tool === 'read') return { tool: 'note', argument: `${page}: ${phrase(choose())}` }
    if (call.tool === 'publish') return null
    const { pages = 0 } = result as { readonly pages?: number }
    return page < pages ? read(page + 1) : { tool: 'publish', argument: `${total} words` }
  }

const read = (page: number): Call => ({ tool: 'read', argument: `${page}` })

const phrases = ['worth reading', 'rather long', 'a good page', 'nothing new'] as const

function phrase(choice: number): string {
  return phrases[choice % phrases.length] ?? phrases[0]
}
