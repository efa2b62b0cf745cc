import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SeededReport, SeededRun } from './run-seeds.js'

/** A request to a process. */
export interface SeedRequest {
  readonly run: SeededRun
  readonly isRepeated: boolean
}

/**
 * Options of Node. Nearly all objects of a simulation soon become garbage, so more room for young objects
 * halves the collector's work. Stacks of injected faults are not needed; to get them, repeat the seed.
 */
const execArgv = ['--max-semi-space-size=64', '--single-threaded-gc', '--stack-trace-limit=0']

/** A child process that simulates one run after the other until it is ended. */
export class SeedProcess {
  private readonly child = fork(fileURLToPath(new URL('./simulate-seed.js', import.meta.url)), {
    execArgv,
    serialization: 'advanced',
  })

  async judged(run: SeededRun, isRepeated: boolean): Promise<SeededReport> {
    const ending = new AbortController()
    const { signal } = ending
    const request: SeedRequest = { run, isRepeated }
    this.child.send(request)
    const died = once(this.child, 'exit', { signal }).then((): never => {
      throw new Error(`a process died in seed ${run.seed}`)
    })
    try {
      const [report] = (await Promise.race([once(this.child, 'message', { signal }), died])) as [SeededReport]
      return report
    } finally {
      died.catch(() => undefined)
      ending.abort()
    }
  }

  end(): void {
    this.child.disconnect()
  }
}
