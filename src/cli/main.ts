#!/usr/bin/env node
import { errorMessage } from '../platform/internal.js'
import { CommanderError } from 'commander'
import { createRequire } from 'node:module'
import { exitCodeOf, exitCodes, inCommandWords } from './output/cli-error.js'
import { programOf } from './program.js'
import { terminalOf } from './output/terminal.js'

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }
const terminal = terminalOf(process)

/** Errors about arguments name them as the code does. */
function messageOf(error: unknown): string {
  const isAboutArguments = error instanceof Error && exitCodeOf(error) === exitCodes.usage
  return isAboutArguments ? inCommandWords(error.message) : errorMessage(error)
}

async function ending(run: Promise<number>): Promise<void> {
  process.exitCode = await run
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

try {
  await programOf({ version, terminal, ending }).parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed its message or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  } else {
    const message = messageOf(error)
    terminal.note(`stepward: ${message}`)
    if (process.argv.includes('--verbose') && error instanceof Error) terminal.note(error.stack ?? '')
    process.exitCode = exitCodeOf(error)
  }
}
