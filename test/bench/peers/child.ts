import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import process from 'node:process'

/** A child process that has printed its first sign of readiness. */
export interface Child {
  readonly processId: number
  end(): Promise<void>
}

/** Starts a program. Resolves when a line of its output matches, and rejects if it ends before. */
export function started(
  [program = '', ...args]: readonly string[],
  isReady: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  const last: string[] = []
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    const end = async (): Promise<void> => {
      child.kill('SIGTERM')
      await ended
    }
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        last.push(line)
        last.splice(0, last.length - 5)
        if (isReady.test(line)) resolve({ processId: child.pid ?? Number.NaN, end })
      })
    ended.then(() => reject(new Error(`${program} ended: ${last.join('\n')}`)), reject)
  })
}
