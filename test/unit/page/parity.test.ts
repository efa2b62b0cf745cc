import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../../src/cli/program.js'
import { commandOfRoute, routes } from '../../../src/page/api/routes.js'
import { actionKinds } from '../../../src/page/browser/state/action-kinds.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

/** The command that shows the same as a request of the page. */
const shownBy: Readonly<Record<string, string>> = {
  '/api/jobs': 'list',
  '/api/job': 'status',
  '/api/counts': 'status',
  '/api/attention': 'attention',
  '/api/inbox': 'inbox',
  '/api/leases': 'leases',
  '/api/lag': 'estimate',
  '/api/findings': 'doctor',
  '/api/schedules': 'schedules',
  '/api/limits': 'limits',
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
  fleet: 'it shows processes of its own machine; the view Fleet shows the instances of all machines',
  autoscale: 'it needs rights on the machine or in Azure, which the page does not have',
  provision: 'it needs rights to create containers, which the page does not have',
  migrate: 'it needs the module with the newer definition, which is on the machine of its author',
  'limit show': 'the view Limits shows all limits',
  pauses: 'the page shows pauses in the status of a job',
  completion: 'it is about the shell',
  emulator: 'it starts a store, before there is a page',
  'emulator split': 'it is a tool for tests of programs',
  'emulator merge': 'it is a tool for tests of programs',
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

  it('do the same: each action is a command, and each view has one or a reason', () => {
    expect(actions.filter((name) => !commands.includes(name))).toEqual([])
    expect(Object.values(shownBy).filter((name) => !commands.includes(name))).toEqual([])
    const known = [...Object.keys(shownBy), ...Object.keys(onlyOnPage)]
    expect([...looks, '/api/changes', '/api/openapi.json'].toSorted()).toEqual(known.toSorted())
  })

  it('each action of the API has a dialog, and each dialog an action', () => {
    expect(Object.keys(actionKinds).toSorted()).toEqual(actions.toSorted())
  })
})
