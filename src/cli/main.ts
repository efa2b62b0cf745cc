#!/usr/bin/env node
import { CommanderError, type Command } from 'commander'
import { createRequire } from 'node:module'
import { systemClock } from '../platform/index.js'
import { exitCodeOf, exitCodes } from './output/cli-error.js'
import { messageFor } from './output/command-words.js'
import { programOf } from './program.js'
import { terminalOf } from './output/terminal.js'

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }
const terminal = terminalOf(process)

let called: Command | undefined

async function ending(run: Promise<number>, { endsNow } = { endsNow: false }): Promise<void> {
  process.exitCode = await run
  // The empty text is written after all others, which may not have reached a pipe yet.
  if (endsNow) process.stdout.write('', () => process.exit())
}

// EPIPE means that the reader of the output has closed it ("| head"). This is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.ok)
})

// EPIPE means that the reader of standard error has closed it. The command continues.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// A command may wait for an answer on a socket that does not keep the process alive. Without a timer, it would end silently.
const running = systemClock.schedule(Infinity, () => undefined)

try {
  const program = programOf({ version, terminal, ending })
  program.hook('preAction', (_, command) => {
    called = command
  })
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed its message or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  } else {
    terminal.note(`stepward: ${messageFor(error, called)}`)
    if (process.argv.includes('--verbose') && error instanceof Error) terminal.note(error.stack ?? '')
    process.exitCode = exitCodeOf(error)
  }
} finally {
  running.cancel()
}
