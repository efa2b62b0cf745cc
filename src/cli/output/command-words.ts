import type { Command } from 'commander'
import { errorMessage } from '../../platform/internal.js'
import { exitCodeOf, exitCodes } from './cli-error.js'

/** The names in the code that differ from those of the command line. The first one that the command has is meant. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  jobId: ['JOB'],
  id: ['SCHEDULE'],
  step: ['step', 'STEP'],
  reason: ['why'],
  key: ['eventKey'],
  assignee: ['assignee', 'assign'],
  since: ['since'],
  before: ['before', 'until'],
  tookAtLeast: ['took'],
  tags: ['tag'],
}

const quoted = '"(?:[^"\\\\]|\\\\.)*"'

/**
 * Returns the text of an error for the user of a command. An error about arguments names them as the user typed them.
 * Without a command, the parser has failed, or no command was called.
 */
export function messageFor(error: unknown, command?: Command): string {
  if (!(error instanceof Error) || exitCodeOf(error) !== exitCodes.usage) return errorMessage(error)
  // Settings also come from the environment and from files, so only a typed option has its name of the command line.
  const isOfSettings = error.name === 'ConfigurationInvalid'
  return inCommandWords(error.message, namesOf(command, isOfSettings))
}

/** Returns the options and arguments of a command, by their names in the code. */
function namesOf(command: Command | undefined, isOnlyTyped: boolean): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const option of command?.options ?? []) {
    const name = option.attributeName()
    const isTyped = command?.getOptionValueSource(name) === 'cli'
    if (!option.negate && (isTyped || !isOnlyTyped)) names.set(name, option.long ?? option.flags)
  }
  if (isOnlyTyped) return names
  const places = new Set(command?.registeredArguments.map((argument) => argument.name().toUpperCase()))
  for (const [name, candidates] of Object.entries(otherNames)) {
    const found = candidates.find((candidate) => names.has(candidate) || places.has(candidate))
    if (found !== undefined) names.set(name, names.get(found) ?? found)
  }
  return names
}

/**
 * Replaces names of the code by those of the command line, and leaves out the name of a call such as "limits.set". A
 * name in camel case is replaced everywhere. Other names are also words of English, so they are replaced only where a
 * problem begins with them or refers to them. A quoted value stays as it is.
 */
function inCommandWords(message: string, names: ReadonlyMap<string, string>): string {
  const known = [...names.keys()].toSorted((one, other) => other.length - one.length)
  if (known.length === 0) return withoutCall(message)
  const mixed = known.filter((name) => /[A-Z]/u.test(name)).map((name) => `\\b${name}\\b`)
  const any = `(?:${known.join('|')})`
  const places = [
    ...mixed,
    `(?<=^|: |; )${any}(?= (?:is|must|needs|belongs|names|excludes)\\b| ")`,
    `(?<=\\b(?:either|or|exceed|with|to|than|as|its|new|pass) )${any}(?=[,;:]|$)`,
  ]
  const wanted = new RegExp(`${quoted}|${places.join('|')}`, 'gu')
  return withoutCall(message).replaceAll(wanted, (found) => names.get(found) ?? found)
}

function withoutCall(message: string): string {
  return message.replace(/^[a-z]+(?:\.[a-z]+)?: /iu, '')
}
