import type { Clock, Random } from '../../platform/index.js'
import { errorMessage } from '../../platform/internal.js'

/**
 * An action on many jobs, as it is shown. It has no reason, because the reason may name a secret of any of the jobs.
 * Each job keeps the reason without its secrets.
 */
export interface BulkOperation {
  readonly id: string
  /** The command that does the same, such as `cancel`. */
  readonly command: string
  /** The filter that selected the jobs. Null if they were named. */
  readonly filter: Readonly<Record<string, string>> | null
  readonly by: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly state: 'running' | 'done' | 'stopped' | 'failed'
  /** The number of jobs on which the action was tried. */
  readonly reached: number
  /** The number of jobs, or null before it is known. */
  readonly total: number | null
  readonly refused: number
  /** The reason of a failure. Otherwise empty. */
  readonly message: string
}

/** What an action reports while it runs. */
export interface Progress {
  readonly onProgress: (reached: number, total: number) => void
  readonly signal: AbortSignal
}

type Begun = Pick<BulkOperation, 'id' | 'command' | 'filter' | 'by'>

/** The number of operations that are kept. The oldest ended operation is forgotten first. */
const mostKept = 100

/**
 * The actions on many jobs that this server carries out.
 *
 * States: running → done, stopped (on request) or failed. A server that ends forgets them. The jobs keep the
 * decisions.
 */
export class OperationLog {
  private readonly operations = new Map<string, BulkOperation>()
  private readonly controllers = new Map<string, AbortController>()

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  newId(): string {
    return this.random.id()
  }

  /** Returns the operations, the newest first. */
  list(): readonly BulkOperation[] {
    return [...this.operations.values()].reverse()
  }

  has(id: string): boolean {
    return this.operations.has(id) || this.controllers.has(id)
  }

  /** Stops an operation or a dry run. Returns false if it does not run. */
  stop(id: string): boolean {
    const controller = this.controllers.get(id)
    controller?.abort()
    return controller !== undefined
  }

  /** Carries out an action, and records its progress and its end. */
  async run<R extends { readonly refused: readonly unknown[] }>(
    begun: Begun,
    action: (progress: Progress) => Promise<R>,
  ): Promise<R> {
    const { id } = begun
    const controller = new AbortController()
    this.controllers.set(id, controller)
    this.begin(begun)
    const { signal } = controller
    try {
      const report = await action({
        signal,
        onProgress: (reached, total) => this.change(id, { reached, total }),
      })
      const state = signal.aborted ? 'stopped' : 'done'
      this.end(id, { state, refused: report.refused.length })
      return report
    } catch (error) {
      this.end(id, { state: 'failed', message: errorMessage(error) })
      throw error
    }
  }

  /** Tries an action. It is not listed, but can be stopped. */
  async tryOut<R>(id: string, action: (progress: Progress) => Promise<R>): Promise<R> {
    const controller = new AbortController()
    this.controllers.set(id, controller)
    try {
      return await action({ signal: controller.signal, onProgress: () => undefined })
    } finally {
      this.controllers.delete(id)
    }
  }

  private begin(begun: Begun): void {
    const ended = [...this.operations.values()].find(({ state }) => state !== 'running')
    if (this.operations.size >= mostKept && ended !== undefined) this.operations.delete(ended.id)
    const startedAt = this.now()
    const start = { startedAt, endedAt: null, state: 'running', reached: 0, total: null } as const
    this.operations.set(begun.id, { ...begun, ...start, refused: 0, message: '' })
  }

  private end(id: string, part: Partial<BulkOperation>): void {
    this.controllers.delete(id)
    this.change(id, { ...part, endedAt: this.now() })
  }

  private change(id: string, part: Partial<BulkOperation>): void {
    const known = this.operations.get(id)
    if (known !== undefined) this.operations.set(id, { ...known, ...part })
  }

  private now(): string {
    return new Date(this.clock.now()).toISOString()
  }
}
