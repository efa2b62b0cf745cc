import { spawn, type ChildProcess } from 'node:child_process'
import { exitCodes } from './cli-error.js'
import type { Terminal } from './terminal.js'
import { untilTold } from './until-told.js'

/** How a child ended. */
interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Runs this same command `count` times as child processes, until told to stop or until all of them have ended. A child
 * that ends by itself is reported; the others take its leases over. Answers the worst exit code.
 */
export async function runInstances(count: number, terminal: Terminal): Promise<number> {
  const [program, ...words] = process.argv.slice(1)
  const command = [...process.execArgv, program ?? '', ...withoutInstances(words)]
  const children = Array.from({ length: count }, () => spawn(process.execPath, command, { stdio: 'inherit' }))
  let isStopping = false
  const ends = children.map(async (child) => {
    const ended = await endOf(child)
    if (!isStopping) terminal.note(`instance process ${child.pid ?? '?'} ended by itself: ${describe(ended)}`)
    return isStopping && ended.signal !== null ? exitCodes.ok : (ended.code ?? exitCodes.failed)
  })
  const allEnded = Promise.all(ends)
  const told = untilTold().then((signal) => {
    isStopping = true
    for (const child of children) child.kill(signal)
  })
  await Promise.race([allEnded, told])
  return Math.max(...(await allEnded))
}

/** The words of the command line without `--instances N`: each child is one instance. */
function withoutInstances(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    return word !== '--instances' && words[index - 1] !== '--instances' && !word.startsWith('--instances=')
  })
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: exitCodes.failed, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

function describe({ code, signal }: Ended): string {
  return signal === null ? `exit code ${code ?? '?'}` : `killed by ${signal}`
}
