import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { examples } from '../../src/cli/examples.js'
import { startOrderServices, workerStarter } from './fleet.js'
import {
  cli,
  ordersFile,
  ordersModule,
  run,
  startEmulatorProcess,
  temporaryDirectory,
  type EmulatorProcess,
  type Ended,
} from './processes.js'

const orders = (await readFile(ordersFile, 'utf8')).trimEnd().split('\n')
const stockFile = ordersFile.replace('orders.jsonl', 'stock.json')
/** Three orders that ask for more than is in stock, and one that does not. */
const wanted = ['SW-1001', 'SW-1008', 'SW-1019', 'SW-1033']

async function submitted(store: EmulatorProcess, ids: readonly string[]): Promise<void> {
  const file = join(await temporaryDirectory(), 'orders.jsonl')
  await writeFile(file, orders.filter((line) => ids.some((id) => line.includes(`"${id}"`))).join('\n'))
  const ended = await run(
    cli,
    ['submit', 'order-fulfilment', file, '--workflows', ordersModule, '--json'],
    store.env,
  )
  expect(JSON.parse(ended.stdout)).toMatchObject({ submitted: ids.length })
}

it('an operator sees advice for stuck jobs, and resubmits them edited or in bulk (R115, R117)', async () => {
  const store = await startEmulatorProcess(['--port', '0'])
  const services = await startOrderServices(['--faults', 'none', '--stock', stockFile])
  const worker = (await workerStarter({ ...store.env, ORDER_SERVICES_URL: services }))()
  const stepward = (...args: string[]): Promise<Ended> => run(cli, args, store.env)
  await submitted(store, wanted)
  await worker.line('"type":"alert.raised"', 3)
  await worker.line('"type":"job.finished"', 4)

  const stuck = await stepward('attention')
  expect(stuck.code, 'something is').toBe(1)
  expect(stuck.stdout).toMatch(/^error: order-fulfilment, step reserve: 3 jobs, the oldest .* ago$/m)
  const advised = /^ {4}stepward (resubmit .*) --why TEXT$/m.exec(stuck.stdout)?.[1]?.split(' ') ?? []
  const cause = expect.stringMatching(/^[\da-f]{12}$/) as string
  const ofStep = ['--workflow', 'order-fulfilment', '--step', 'reserve']
  expect(advised).toEqual(['resubmit', ...ofStep, '--cause', cause])
  // A command to paste is never wrapped.
  const others = stuck.stdout.split('\n').filter((line) => !line.startsWith('    stepward '))
  for (const line of others) expect(line.length).toBeLessThanOrEqual(80)

  const looked = await stepward(...advised, '--why', 'is it?', '--dry-run', '--json')
  expect(JSON.parse(looked.stdout)).toMatchObject({ command: 'resubmit', isDryRun: true, refused: [] })

  const input = join(await temporaryDirectory(), 'input.json')
  await writeFile(input, '{"orderId":"SW-1033","lines":[{"productId":1,"quantity":1}]}')
  const edited = ['resubmit', 'SW-1033', '--step', 'reserve', '--input', input, '--why', 'takes tea', '--by']
  expect(await stepward(...edited, 'maria')).toMatchObject({
    code: 0,
    stdout: '1 job resubmitted:\n  SW-1033\n',
  })
  const watched = await stepward('watch', 'SW-1033')
  expect(watched.code, 'ended well').toBe(0)
  expect(watched.stdout).toMatch(/job SW-1033 Processed\n$/)
  const status = await stepward('status', 'SW-1033')
  expect(status.stdout).toMatch(/^resubmit {3}reserve by maria at \S+: takes tea$/m)

  const body = JSON.stringify({ productId: 9, quantity: 3 })
  await fetch(`${services}/inventory/deliveries`, {
    method: 'POST',
    headers: { 'idempotency-key': 'd' },
    body,
  })
  const all = await stepward(...advised, '--why', 'the shelves are filled', '--json')
  const { done } = JSON.parse(all.stdout) as { done: string[] }
  expect(done.sort()).toEqual(['SW-1008', 'SW-1019'])
  await worker.line('"type":"job.finished"', 7)
  expect(await stepward('attention')).toMatchObject({ code: 0, stdout: 'nothing needs attention\n' })
})

it('a command that cannot be carried out prints one line and sets its exit code', async () => {
  const store = await startEmulatorProcess(['--port', '0'])
  await submitted(store, ['SW-1001'])
  const refusals = [
    { args: ['status', 'missing'], code: 3, says: /^stepward: there is no job "missing"\n$/ },
    {
      args: ['resubmit', 'SW-1001', '--why', 'x'],
      code: 4,
      says: /^stepward: job SW-1001 is Pending; .*\n$/,
    },
    {
      args: ['attention', '--stat', 'Error'],
      code: 2,
      says: /^stepward: unknown option '--stat' \(Did you mean --state\?\): see "stepward attention --help"\n$/,
    },
    {
      args: ['emulator', 'split'],
      code: 2,
      says: /^stepward: missing required argument 'container': see "stepward emulator split --help"\n$/,
    },
    {
      args: ['completion', 'csh'],
      code: 2,
      says: /^stepward: .*'csh' is invalid.* choices are bash, zsh, fish: see "stepward completion --help"\n$/,
    },
  ]
  for (const { args, code, says } of refusals) {
    const ended = await run(cli, args, store.env)
    expect(ended, args.join(' ')).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(says)
  }
})

it('`provision`, `list`, `attention` and `cancel` work while no role runs', async () => {
  const store = await startEmulatorProcess(['--port', '0'])
  const stepward = (...args: string[]): Promise<Ended> => run(cli, args, store.env)
  const [made, again] = [await stepward('provision'), await stepward('provision', '--json')]
  expect(made.stdout).toMatch(/^stepward\/state \(partition key \/pk\): created\n/)
  expect(JSON.parse(again.stdout)).toMatchObject({ containers: [{ isNew: false }, { isNew: false }] })
  await submitted(store, wanted)

  const first = await stepward('list', '--limit', '3', '--json')
  const before = /same command with --before (\S+)/.exec(first.stderr)?.[1] ?? ''
  const second = await stepward('list', '--limit', '3', '--before', before, '--json')
  const ids = [first, second].flatMap(({ stdout }) => JSON.parse(stdout) as { readonly jobId: string }[])
  expect(ids.map(({ jobId }) => jobId).sort(), 'each once').toEqual(wanted)
  expect((await stepward('list', '--limit', '4')).stderr, 'no more').toBe('')

  const standing = await stepward('attention')
  expect(standing.code, 'nothing works on them').toBe(1)
  expect(standing.stdout).toMatch(/^4 jobs have not ended, and no instance runs the roles/)
  const cancelled = await stepward('cancel', '--all', '--yes', '--why', 'a trial', '--by', 'maria')
  expect(cancelled).toMatchObject({ code: 0, stderr: '' })
  expect(cancelled.stdout).toMatch(/^4 jobs cancelled:\n/)
  expect((await stepward('cancel', '--all', '--yes', '--why', 'again')).stdout).toMatch(
    /^No matching job can be cancelled\./,
  )
})

it.each(['attention', 'watch a', 'provision', 'cancel --all --yes --why x'])(
  '%s reports in one line that the store does not answer',
  async (command) => {
    const nowhere = { COSMOS_ENDPOINT: 'http://127.0.0.1:9', COSMOS_KEY: 'a2V5' }
    const ended = await run(cli, command.split(' '), nowhere)
    expect(ended).toMatchObject({ code: 5, stdout: '' })
    expect(ended.stderr).toMatch(
      /^stepward: no answer from .*: check the address, or start an embedded store.*\n$/,
    )
  },
)

it('shell completion knows every command, and the help of each has an example', async () => {
  const { stdout } = await run(cli, ['completion', 'bash'])
  const commands = [...stdout.matchAll(/^ {4}'([a-z -]+):'\*\) words=/gm)].map(([, path]) => path)
  expect(commands).toContain('emulator split')
  expect(commands.sort()).toEqual(Object.keys(examples).sort())
  expect(stdout).toContain("'list:--state') words='Pending Processing")
  expect(stdout).toContain("'start:--role') words='scheduler agents supervisor notifier all'")
  const help = await run(cli, ['resubmit', '--help'])
  expect(help.stdout).toMatch(
    /Example:\n {2}stepward resubmit --step reserve --why "shelves filled" --dry-run\n$/,
  )
  for (const line of help.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

it('a command ends quietly when its standard output is closed', async () => {
  const child = spawn(process.execPath, [cli, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let remarks = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (remarks += text))
  child.stdout.destroy()
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect({ code, remarks }).toEqual({ code: 0, remarks: '' })
})
