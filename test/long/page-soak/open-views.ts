import { Browser, type Page } from '../../support/browser.js'
import { largeGraph, type ShownStore } from './shown-store.js'
import { steppedTime, type Handled } from './stepped-time.js'

/** A view in a tab of its own. */
interface OpenView {
  readonly name: string
  readonly page: Page
}

/** Resolves with the time from the answer of the API to the drawn graph of the large job, in milliseconds. */
const drawing = `(() => {
  if (document.querySelectorAll('.graph .node').length < ${largeGraph}) return 0
  const answer = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/job?'))
  return performance.now() - answer.responseEnd
})()`

/** Views of a page, each in a tab with a browser context of its own, which has its own connections and its own sign-in. */
export class OpenViews {
  private constructor(
    private readonly browser: Browser,
    private readonly views: readonly OpenView[],
    /** The time in which the graph of the large job was drawn, or null if its view is not open. */
    readonly drawnMs: number | null,
  ) {}

  static async open(
    path: string,
    store: ShownStore,
    what: { readonly views: readonly (readonly [string, string])[]; readonly isStepped: boolean },
  ): Promise<OpenViews> {
    const browser = await Browser.open(path)
    const opened: OpenView[] = []
    let drawnMs: number | null = null
    // Each address signs in one browser, and the next address follows.
    for (const [name, view] of what.views) {
      const address = store.address()
      const page = await browser.visit(address)
      await page.until(`document.querySelector('header nav')`)
      if (what.isStepped) await page.beforeModules(steppedTime)
      await page.begin(`${new URL(address).origin}${view}`)
      if (name === 'job') drawnMs = await page.until<number>(drawing)
      await page.until(
        `document.querySelector('h1') && document.querySelector('.live')?.textContent === 'live'`,
      )
      opened.push({ name, page })
    }
    return new OpenViews(browser, opened, drawnMs)
  }

  get names(): readonly string[] {
    return this.views.map(({ name }) => name)
  }

  /** Returns the tab of a view, if it is open. */
  pageOf(wanted: string): Page | undefined {
    return this.views.find(({ name }) => name === wanted)?.page
  }

  /** Returns the heap of each tab after a collection, in bytes. */
  async heaps(): Promise<readonly number[]> {
    const heaps: number[] = []
    for (const { page } of this.views) heaps.push(await page.heapBytes())
    return heaps
  }

  /** Resolves when each tab has handled this number of changes, and this much time. */
  handled(changes: number, ms: number): Promise<readonly Handled[]> {
    return Promise.all(
      this.views.map(({ page }) => page.evaluate<Handled>(`stepped.after(${changes}, ${ms})`)),
    )
  }

  /** The number of elements of all tabs. */
  async elements(): Promise<number> {
    let sum = 0
    for (const { page } of this.views) {
      sum += await page.evaluate<number>(`document.querySelectorAll('*').length`)
    }
    return sum
  }

  complaints(): readonly string[] {
    return this.views.flatMap(({ name, page }) => page.complaints.map((text) => `${name}: ${text}`))
  }

  close(): Promise<void> {
    return this.browser.close()
  }
}
