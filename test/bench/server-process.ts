import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A server in its own process. */
export interface ServerProcess {
  readonly endpoint: string
  readonly key: string
  /** The id of the process. */
  readonly pid: number
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<unknown>
  /** Ends the server at once. */
  kill(): Promise<void>
}

/**
 * Starts a program that prints one line of JSON with its address, and waits for that line.
 *
 * @param nodeOptions options of Node itself
 */
export async function startServer(
  program: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const { endpoint, key = '' } = JSON.parse(line) as { endpoint: string; key?: string }
    return { endpoint, key, pid: child.pid ?? 0, ended, kill }
  }
  throw new Error(`${program} ended before it said where it listens`)
}

/** @param args in addition to those that make it use any port and print which */
export function startEmulatorProcess(
  cli: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  return startServer(cli, ['emulator', '--port', '0', '--json', ...args], nodeOptions)
}
