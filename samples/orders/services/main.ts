import { parseCommandLine, usage, type CommandLine } from './command-line.js'
import { startServices } from './start-services.js'
import { readStock } from './stock-file.js'

async function run({ stockPath, ...options }: CommandLine): Promise<void> {
  const stock = stockPath === undefined ? [] : await readStock(stockPath)
  const services = await startServices({ ...options, stock })
  const stopRequested = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  process.stdout.write(`order services listening on ${services.url}\n`)
  await stopRequested
  await services.close()
}

const commandLine = parseCommandLine(process.argv.slice(2))
if ('problems' in commandLine) {
  process.stderr.write([...commandLine.problems, usage, ''].join('\n'))
  process.exitCode = 2
} else {
  try {
    await run(commandLine)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
