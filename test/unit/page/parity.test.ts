import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withStoreOptions } from '../../../src/cli/input/store-options.js'
import { programOf } from '../../../src/cli/program.js'
import { commandOfRoute, routes } from '../../../src/page/api/routes.js'
import { actionKinds } from '../../../src/page/browser/state/action-kinds.js'
import { isNameless } from '../../../src/page/browser/state/commands.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

/** The command that shows the same as a request of the page. */
const shownBy: Readonly<Record<string, string>> = {
  '/api/jobs': 'list',
  '/api/job': 'status',
  '/api/lacking': 'status',
  '/api/counts': 'status',
  '/api/attention': 'attention',
  '/api/inbox': 'inbox',
  '/api/leases': 'leases',
  '/api/lag': 'estimate',
  '/api/findings': 'doctor',
  '/api/dead-letters': 'dead-letters',
  '/api/fleet': 'fleet',
  '/api/schedules': 'schedules',
  '/api/limits': 'limits',
  '/api/pauses': 'pauses',
  '/api/schedule': 'schedule show',
  '/api/audit': 'audit',
  '/api/history': 'history',
  '/api/history/moment': 'history',
  '/api/cost': 'cost',
  '/api/usage': 'usage',
  '/api/changes': 'watch',
}

/** Requests of the page without a command, each with the reason. */
const onlyOnPage: Readonly<Record<string, string>> = {
  '/api/about': 'it describes the page itself',
  '/api/openapi.json': 'it describes the API of the page',
  '/api/documents': 'it shows documents as they are stored; "stepward status --json" prints what they say',
  '/api/attempts': 'it joins what "stepward history" and "stepward status" tell about one step',
  '/api/charges': 'it tells what the server of the page has used',
  '/api/operations': 'a command on many jobs shows its own progress',
  '/api/operations/stop': 'Ctrl-C stops a command on many jobs',
}

/** Commands without an action or a view, each with the reason. */
const onlyInTerminal: Readonly<Record<string, string>> = {
  'answer-link': 'it needs the secret of links, and prints what only one person may see',
  check: 'it checks a file of its own machine, before there is a store',
  dev: 'it starts the process that serves the page',
  page: 'it starts the process that serves the page',
  start: 'a process is started where it runs',
  stop: 'it ends processes of its own machine, perhaps the one that serves the page',
  autoscale: 'it needs rights on the machine or in Azure, which the page does not have',
  provision: 'it needs rights to create containers, which the page does not have',
  'limit show': 'the view Limits shows all limits',
  completion: 'it is about the shell',
  emulator: 'it starts a store, before there is a page',
  'emulator split': 'it is a tool for tests of programs',
  'emulator merge': 'it is a tool for tests of programs',
}

/** Options of commands that the page has in another form, each with the reason. */
const optionsElsewhere: Readonly<Record<string, string>> = {
  by: 'the page knows who has signed in',
  yes: 'the dialog is the question',
  all: 'an empty filter is every job',
  module: 'the page has the module that it was started with',
  workflows: 'the page has the module that it was started with',
  state: 'the page has the fleet that it was started with',
  appService: 'the page has the app that it was started with',
  resourceGroup: 'the page has the app that it was started with',
  subscription: 'the page has the app that it was started with',
  'answer yes': 'an answer is any value',
  'answer no': 'an answer is any value',
  'migrate older': 'the page may run with an old module by mistake, so it refuses an older version',
  'submit notify': 'without a receiver, no event is reported',
  'submit replyTo': 'the page lets no person choose an address that the host calls',
  'submit wait': 'the page shows the job as it goes on',
}

/** Fields of actions that the commands have in another form, each with the reason. */
const fieldsElsewhere: Readonly<Record<string, string>> = {
  job: 'a word of the command',
  jobs: 'one command for each job',
  filter: 'the options of filters',
  atMost: 'a command shows the number of jobs in its dry run and at its end',
  operation: 'Ctrl-C stops a command',
  target: 'two words of the command',
  schedule: 'a word of the command',
  key: 'a word of the command',
  'scale role': 'a word of the command',
  'scale count': 'a word of the command',
  'rebalance role': 'a word of the command',
  'raise step': 'a word of the command',
  'answer step': 'a word of the command',
  'submit workflow': 'a word of the command',
  'submit input': 'the file of the command',
  'submit jobId': 'a field of the lines of the file',
}

/** Returns the names of the options of a command, without those about its store and its output. */
function optionsOf(words: string): string[] {
  const [first, second] = words.split(' ')
  const outer = program.commands.find((one) => one.name() === first)
  const command = second === undefined ? outer : outer?.commands.find((one) => one.name() === second)
  const shared = withStoreOptions(new Command()).options.map((option) => option.attributeName())
  return (command?.options ?? [])
    .map((option) => option.attributeName())
    .filter((name) => !shared.includes(name))
}

/** Returns the names of the fields of an action, and those of its filter. */
function fieldsOf({ asked }: (typeof routes)[number]): { own: string[]; filter: string[] } {
  const { filter } = asked.shape as Readonly<Record<string, unknown>>
  const inner = filter instanceof z.ZodOptional ? (filter.unwrap() as unknown) : filter
  const names = inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
  return { own: Object.keys(asked.shape), filter: names }
}

const ending = (): Promise<void> => Promise.resolve()
const program = programOf({ version: '1', terminal: recordedTerminal().terminal, ending })
const commands = program.commands.flatMap(wordsOf)

/** Returns the names of a command and of its subcommands. A command that only groups others is left out. */
function wordsOf(command: Command): string[] {
  const inner = command.commands.map((one) => `${command.name()} ${one.name()}`)
  return command.name() === 'schedule' || command.name() === 'limit' ? inner : [command.name(), ...inner]
}

const actions = routes.flatMap((route) => commandOfRoute(route) ?? [])
const looks = routes.filter((route) => commandOfRoute(route) === null).map(({ path }) => path)

describe('the page and the command line', () => {
  it('do the same: each command is an action, is shown, or has a reason to be only in the terminal', () => {
    const onPage = new Set([...actions, ...Object.values(shownBy)])
    expect(commands.filter((name) => !onPage.has(name)).toSorted()).toEqual(
      Object.keys(onlyInTerminal).toSorted(),
    )
  })

  it('name the same person: a copied command has --by if the command has it', () => {
    const kinds = Object.keys(actionKinds) as (keyof typeof actionKinds)[]
    const withBy = kinds.filter((kind) => optionsOf(kind).includes('by'))
    expect(kinds.filter((kind) => !isNameless(kind))).toEqual(withBy)
  })

  it('do the same: each action is a command, and each view has one or a reason', () => {
    expect(actions.filter((name) => !commands.includes(name))).toEqual([])
    expect(Object.values(shownBy).filter((name) => !commands.includes(name))).toEqual([])
    const known = [...Object.keys(shownBy), ...Object.keys(onlyOnPage)]
    expect([...looks, '/api/changes', '/api/openapi.json'].toSorted()).toEqual(known.toSorted())
  })

  it.each(
    routes
      .flatMap((route) => [[commandOfRoute(route) ?? '', route] as const])
      .filter(([name]) => name !== ''),
  )('"%s" has the options of its command, and its command the fields of the page', (name, route) => {
    const { own, filter } = fieldsOf(route)
    const options = optionsOf(name)
    const isKnown = (known: object, one: string): boolean =>
      Object.hasOwn(known, one) || Object.hasOwn(known, `${name} ${one}`)
    const missing = options.filter((one) => !own.includes(one) && !filter.includes(one))
    expect(missing.filter((one) => !isKnown(optionsElsewhere, one))).toEqual([])
    const more = own.filter((one) => !options.includes(one))
    expect(more.filter((one) => !isKnown(fieldsElsewhere, one))).toEqual([])
    const asked = actionKinds[name as keyof typeof actionKinds].fields ?? []
    expect(asked.map((field) => field.name).filter((one) => !own.includes(one))).toEqual([])
  })

  it('each action of the API has a dialog, and each dialog an action', () => {
    expect(Object.keys(actionKinds).toSorted()).toEqual(actions.toSorted())
  })
})
