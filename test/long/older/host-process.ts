import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { HostMessage, HostSetup } from './host.js'
import type { Call } from './kinds.js'

/** A running host of one build, and the calls of its handlers. */
export class HostProcess {
  readonly calls: Call[] = []
  private readonly over = new Set<string>()
  private readonly submissions = new Map<string, () => void>()

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(setup: HostSetup): Promise<HostProcess> {
    const file = fileURLToPath(new URL('host.js', import.meta.url))
    const child = fork(file, { env: { ...process.env, OLDER_SETUP: JSON.stringify(setup) } })
    const host = new HostProcess(setup.name, child)
    const started = new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => {
        reject(new Error(`${setup.name} ended with exit code ${String(code)}`))
      })
      child.on('message', (message: HostMessage) => {
        if ('started' in message) resolve()
        else host.note(message)
      })
    })
    await started
    return host
  }

  /** The keys of the calls that have begun and not ended. */
  get callsUnderWay(): ReadonlySet<string> {
    return new Set(this.calls.map(({ key }) => key).filter((key) => !this.over.has(key)))
  }

  /** Submits a job, by the workflow as the build of this host defines it. */
  async submit(kind: string, jobId: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.submissions.set(jobId, resolve)
      this.child.send({ kind, jobId })
    })
  }

  kill(): void {
    this.child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
  }

  private note(message: HostMessage): void {
    if ('submitted' in message) this.submissions.get(message.submitted)?.()
    else if ('call' in message && message.call.isOver) this.over.add(message.call.key)
    else if ('call' in message) this.calls.push(message.call)
  }
}
