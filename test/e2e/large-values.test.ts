import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { cli, run, start, temporaryDirectory } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

const module = `
import { defineAgent, defineWorkflow } from 'stepward'
const printer = defineAgent('printer', {
  print: ({ text }) => ({ pages: 2, printed: text + text }),
  count: ({ printed }) => printed.length,
})
export const agents = [printer]
export const printing = defineWorkflow('printing', (job) => {
  const { printed } = job.step('print', printer.print, { text: job.input.text }, { undo: 'none' }).output
  job.step('count', printer.count, { printed }, { undo: 'none' })
}, { jobId: ({ id }) => id })
`

it('values beyond 2 MB go through the command line, with a folder in the data directory (I31)', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'node_modules'))
  await symlink(root, join(directory, 'node_modules', 'stepward'))
  const [workflows, input, data] = ['printing.mjs', 'input.jsonl', 'data'].map((name) =>
    join(directory, name),
  )
  await writeFile(String(workflows), module)
  await writeFile(String(input), `${JSON.stringify({ id: 'one', text: 'x'.repeat(3_000_000) })}\n`)
  const given = ['--data', String(data)]
  const dev = start(cli, ['dev', String(workflows), ...given, '--port', '0', '--no-page'])
  onTestFinished(async () => {
    dev.signal('SIGTERM')
    await dev.ended
  })
  await dev.line('Ctrl-C stops it')
  const submitted = await run(cli, [
    'submit',
    'printing',
    String(input),
    '--workflows',
    String(workflows),
    '--wait',
    ...given,
  ])
  expect([submitted.code, submitted.stderr]).toEqual([0, ''])
  expect(await readdir(join(String(data), 'payloads'))).toHaveLength(1)
  const shown = await run(cli, ['status', 'one', '--json', ...given])
  expect(shown.stdout.length).toBeLessThan(5_000)
  expect(shown.stdout).toContain('"$payload"')
  const whole = await run(cli, ['status', 'one', '--json', '--whole', ...given])
  const { steps } = JSON.parse(whole.stdout) as { steps: { output: { printed: string } | number }[] }
  expect(steps.map(({ output }) => output)).toEqual([{ pages: 2, printed: 'x'.repeat(6_000_000) }, 6_000_000])
  const wrong = await run(cli, ['status', 'one', '--whole', ...given])
  expect([wrong.code, wrong.stderr]).toEqual([2, 'stepward: --whole needs a job and --json\n'])
})
