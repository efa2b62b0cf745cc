import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Returns the path of a Chromium on this machine, or null. */
export function browserPath(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return candidates.find(isExecutable) ?? null
}

/**
 * Returns the path of the Chromium of this machine or, if there is none, of the one in `node_modules`, which
 * is unpacked into the temporary directory. Returns null if neither runs here.
 */
export async function anyBrowserPath(): Promise<string | null> {
  const found = browserPath()
  if (found !== null) return found
  // The package has a binary for Linux on x64 only.
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

type Waiting = (message: Message) => void

/** The size of a window, and whether it prefers dark colours. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly isDark: boolean
}

/** A headless browser. Its protocol runs over a pipe, so that it opens no port. */
export class Browser {
  private readonly child: ChildProcess
  private lastId = 0
  private readonly waiting = new Map<number, Waiting>()
  private readonly listeners = new Set<Waiting>()
  private unread = ''
  private hasEnded = false
  private readonly ended: Promise<void>

  private constructor(
    child: ChildProcess,
    private readonly profile: string,
  ) {
    this.child = child
    this.ended = new Promise((resolve) => {
      child.once('exit', () => {
        this.hasEnded = true
        for (const receive of this.waiting.values()) receive({ error: { message: 'the browser has ended' } })
        this.waiting.clear()
        resolve()
      })
    })
    const output = child.stdio[4] as Readable
    output.setEncoding('utf8').on('data', (text: string) => {
      this.read(text)
    })
  }

  static async open(path: string): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'stepward-browser-'))
    const flags = [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-dev-shm-usage',
    ]
    const child = spawn(path, [...flags, `--user-data-dir=${profile}`, '--remote-debugging-pipe'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    return new Browser(child, profile)
  }

  /** Opens a page in a new tab, without any storage of other tabs. */
  async visit(url: string): Promise<Page> {
    const { browserContextId } = await this.send<{ browserContextId: string }>(
      'Target.createBrowserContext',
      {},
    )
    return this.open(url, browserContextId)
  }

  /** Opens a page in a visible window, which shares the storage of the other windows of its context. */
  async open(url: string, browserContextId: string): Promise<Page> {
    const target = { url: 'about:blank', browserContextId, newWindow: true }
    const { targetId } = await this.send<{ targetId: string }>('Target.createTarget', target)
    const attach = { targetId, flatten: true }
    const { sessionId } = await this.send<{ sessionId: string }>('Target.attachToTarget', attach)
    const page = new Page(this, { sessionId, targetId, browserContextId })
    await page.begin(url)
    return page
  }

  /** Ends the shared workers of all tabs, as a crash does. Returns their number. */
  async endWorkers(): Promise<number> {
    const filter = [{ type: 'shared_worker' }]
    const found = await this.send<{ targetInfos: { targetId: string }[] }>('Target.getTargets', { filter })
    for (const { targetId } of found.targetInfos) await this.send('Target.closeTarget', { targetId })
    return found.targetInfos.length
  }

  send<T>(method: string, params: object, sessionId?: string): Promise<T> {
    // A request to a browser that has ended would never be answered.
    if (this.hasEnded) return Promise.reject(new Error(`${method}: the browser has ended`))
    this.lastId += 1
    const id = this.lastId
    const input = this.child.stdio[3] as Writable
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result as T)
        else reject(new Error(`${method}: ${error.message}`))
      })
    })
  }

  onEvent(listener: Waiting): void {
    this.listeners.add(listener)
  }

  /** Ends the browser. It has nothing to keep, so it is not asked, and cannot be late. */
  async close(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 })
  }

  private read(text: string): void {
    const parts = `${this.unread}${text}`.split('\0')
    this.unread = parts.pop() ?? ''
    for (const part of parts) this.receive(JSON.parse(part) as Message)
  }

  private receive(message: Message): void {
    if (message.id === undefined) for (const listener of this.listeners) listener(message)
    else {
      this.waiting.get(message.id)?.(message)
      this.waiting.delete(message.id)
    }
  }
}

/** The ids of a tab: its connection, the tab, and its context. */
interface Target {
  readonly sessionId: string
  readonly targetId: string
  readonly browserContextId: string
}

/** A tab of the browser. */
export class Page {
  /** What the browser reported: exceptions, refusals by the content security policy, and missing files. */
  readonly complaints: string[] = []

  constructor(
    private readonly browser: Browser,
    private readonly target: Target,
  ) {
    browser.onEvent((message) => {
      if (message.sessionId === target.sessionId) this.note(message)
    })
  }

  /** Opens another window of the same browser, with the same cookies and workers. */
  beside(url: string): Promise<Page> {
    return this.browser.open(url, this.target.browserContextId)
  }

  async close(): Promise<void> {
    await this.browser.send('Target.closeTarget', { targetId: this.target.targetId })
  }

  /** Ends the process of the tab, as a crash does. Such a tab answers no more. */
  crash(): void {
    this.send('Page.crash', {}).catch(() => undefined)
  }

  async begin(url: string): Promise<void> {
    for (const domain of ['Page', 'Runtime', 'Log']) await this.send(`${domain}.enable`, {})
    await this.send('Page.navigate', { url })
  }

  /** Runs a script in each document that the tab opens from now on, before the scripts of the document. */
  async beforeModules(source: string): Promise<void> {
    await this.send('Page.addScriptToEvaluateOnNewDocument', { source })
  }

  /** Evaluates an expression in the page. Rejects with the exception of the page, if there is one. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send<{
      result: { value: T }
      exceptionDetails?: { exception?: { description?: string } }
    }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails === undefined) return result.value
    throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? 'failed'}`)
  }

  /** Resolves with the first value of an expression that is neither false nor empty. */
  until<T>(expression: string): Promise<T> {
    return this.evaluate(`new Promise((resolve) => {
      const look = () => {
        const found = (() => { try { return ${expression} } catch { return null } })()
        if (found) resolve(found)
        else setTimeout(look, 10)
      }
      look()
    })`)
  }

  async look({ width, height, isDark }: Look): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    })
    const features = [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]
    await this.send('Emulation.setEmulatedMedia', { features })
  }

  /** Presses a key, with Ctrl if `isControl` is set. */
  async press(key: string, isControl = false): Promise<void> {
    const modifiers = isControl ? 2 : 0
    const typed = key === 'Enter' ? '\r' : key
    const text = typed.length === 1 && !isControl ? { text: typed } : {}
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent', { type, key, code: key, modifiers, ...keyCode(key), ...text })
    }
  }

  /** Collects garbage, and returns the size of the heap of the page. */
  async heapBytes(): Promise<number> {
    await this.send('HeapProfiler.collectGarbage', {})
    const { usedSize } = await this.send<{ usedSize: number }>('Runtime.getHeapUsage', {})
    return usedSize
  }

  /** Returns a picture of the window as PNG. */
  async picture(): Promise<Buffer> {
    const { data } = await this.send<{ data: string }>('Page.captureScreenshot', { format: 'png' })
    return Buffer.from(data, 'base64')
  }

  private send<T>(method: string, params: object): Promise<T> {
    return this.browser.send<T>(method, params, this.target.sessionId)
  }

  private note({ method, params }: Message): void {
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') {
      this.complaints.push(JSON.stringify(params))
    }
  }
}

function keyCode(key: string): { readonly windowsVirtualKeyCode?: number } {
  const codes: Readonly<Record<string, number>> = { Enter: 13, Escape: 27, Tab: 9, s: 83 }
  const code = codes[key]
  return code === undefined ? {} : { windowsVirtualKeyCode: code }
}
