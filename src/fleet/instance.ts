import { fork, type ChildProcess } from 'node:child_process'
import { systemClock, type Clock } from '../platform/index.js'
import { withinLimit } from '../platform/internal.js'
import type { HostFigures } from '../host/index.js'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process of a fleet, as its parent sees it. */
export interface Instance {
  readonly instanceName: string
  readonly processId: number | null
  readonly startedAtMs: number
  /** Whether its roles have started. */
  readonly hasRun: boolean
  readonly ended: Promise<Exit>
  /** Returns the resources that the process uses, or null if it does not answer within a second. */
  figures(): Promise<HostFigures | null>
  /** Informs the process that other instances have started or ended. */
  rebalance(): void
  stop(): void
  kill(): void
}

/** A message from the parent to a child. */
export type ToChild = { readonly ask: 'figures' } | { readonly ask: 'rebalance' } | Begin
/** Tells a process in reserve which role to run. */
export interface Begin {
  readonly ask: 'begin'
  readonly role: string
  readonly instanceName: string
}
/** A message from a child to its parent. */
export type ToParent =
  | { readonly say: 'loaded' }
  | { readonly say: 'running' }
  | { readonly say: 'figures'; readonly figures: HostFigures }

/** A program to start as a child process. */
export interface ChildProgram {
  readonly program: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The roles of a child, and who is told when they run. */
export interface Launch {
  readonly instanceName: string
  readonly onRunning: () => void
}

/**
 * The Node options of a worker. With a larger young generation, most objects become garbage before Node
 * copies them. A worker then completes a sixth more jobs per second, but needs another hundred megabytes. The
 * parent's own options override these.
 */
export const workerNodeOptions = ['--max-semi-space-size=64']

/** The time within which a child must answer. */
const answerWithinMs = 1_000

/** Starts a child process with a channel. If the parent dies, the channel closes and the child stops. */
export function started({ program, args, environment }: ChildProgram): ChildProcess {
  return fork(program, args, {
    env: { ...environment },
    execArgv: [...workerNodeOptions, ...process.execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Returns a child as an instance of a role. */
export function instanceOf(
  child: ChildProcess,
  { instanceName, onRunning }: Launch,
  clock: Clock = systemClock,
): Instance {
  let hasRun = false
  child.on('message', (message: ToParent) => {
    if (message.say !== 'running') return
    hasRun = true
    onRunning()
  })
  return {
    instanceName,
    processId: child.pid ?? null,
    startedAtMs: clock.monotonic(),
    get hasRun() {
      return hasRun
    },
    ended: endOf(child),
    figures: () => figuresOf(child, clock),
    rebalance: () => tell(child, { ask: 'rebalance' }),
    stop: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * Resolves only after the process has ended, because the fleet then releases its leases. A message or signal
 * that cannot be delivered also emits `error`, but the process may still run.
 */
export function endOf(child: Pick<ChildProcess, 'pid' | 'on' | 'once'>): Promise<Exit> {
  return new Promise((resolve) => {
    child.on('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null })
    })
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

async function figuresOf(child: ChildProcess, clock: Clock): Promise<HostFigures | null> {
  let hear = (_message: ToParent): void => undefined
  const answered = new Promise<HostFigures>((resolve) => {
    hear = (message) => {
      if (message.say === 'figures') resolve(message.figures)
    }
  })
  child.on('message', hear)
  tell(child, { ask: 'figures' })
  const figures = await withinLimit(clock, answerWithinMs, answered, () => null)
  child.off('message', hear)
  return figures
}

/** Sends a message to a child. Ignores a closed channel, because then the child is about to exit. */
export function tell(child: Pick<ChildProcess, 'connected' | 'send'>, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined)
}
