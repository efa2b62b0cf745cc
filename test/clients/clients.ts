import { join } from 'node:path'
import process from 'node:process'

/** A command with its arguments. */
export type Command = readonly [program: string, ...rest: readonly string[]]

/** A client of Cosmos DB, one column of the matrix. */
export interface Client {
  readonly name: string
  readonly title: string
  /** The programs that the client needs on this machine. */
  readonly tools: readonly string[]
  /** The files that decide what is installed. If they are the same as before, nothing is installed again. */
  readonly sources: readonly string[]
  /**
   * The folder of `.stepward/clients` that holds what is installed. Clients with the same folder share it.
   */
  readonly folder: string
  readonly install: (place: string) => readonly Command[]
  /** The command that runs the checks. The path of a JSON file with the assignment follows it. */
  readonly run: (place: string) => Command
}

const here = join('test', 'clients')
const javascript = join('.stepward', 'tests', here, 'javascript', 'program.js')
const newest = join(here, 'javascript', 'newest')

/** Leaves out what npm would print and look up beside the installation. */
const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']

function python(name: string, title: string, kind: 'sync' | 'aio'): Client {
  return {
    name,
    title,
    tools: ['python3'],
    sources: [join(here, 'python', 'requirements.txt')],
    folder: 'python',
    install: (place) => [
      ['python3', '-m', 'venv', place],
      [join(place, 'bin', 'pip'), 'install', '--quiet', '-r', join(here, 'python', 'requirements.txt')],
    ],
    run: (place) => [join(place, 'bin', 'python'), join(here, 'python', 'program.py'), kind],
  }
}

/** The columns of the matrix. Each pins its versions in the manifest of its language. */
export const clients: readonly Client[] = [
  {
    name: 'javascript',
    title: 'JavaScript',
    tools: ['node'],
    sources: [],
    folder: 'javascript',
    install: () => [],
    run: () => [process.execPath, javascript, 'node_modules'],
  },
  {
    name: 'javascript-newest',
    title: 'JavaScript, newest',
    tools: ['npm'],
    sources: [join(newest, 'package.json')],
    folder: 'javascript-newest',
    install: (place) => [
      ['cp', join(newest, 'package.json'), place],
      ['npm', 'install', '--prefix', place, ...quiet],
    ],
    run: (place) => [join(place, 'node_modules', '.bin', 'node'), javascript, join(place, 'node_modules')],
  },
  python('python', 'Python', 'sync'),
  python('python-aio', 'Python, aio', 'aio'),
  {
    name: 'java',
    title: 'Java V4',
    tools: ['java', 'mvn'],
    sources: [join(here, 'java')],
    folder: 'java',
    install: (place) => [['mvn', '-q', '-B', '-f', join(here, 'java'), `-Dplace=${place}`, 'compile']],
    run: (place) => [
      'java',
      '-DCOSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED=true',
      '-cp',
      [join(place, 'classes'), join(place, 'dependencies', '*')].join(':'),
      'stepward.clients.Program',
    ],
  },
  {
    name: 'go',
    title: 'Go',
    tools: ['go'],
    sources: [join(here, 'go')],
    folder: 'go',
    install: (place) => [['go', 'build', '-C', join(here, 'go'), '-o', join(place, 'program'), '.']],
    run: (place) => [join(place, 'program')],
  },
]

/** Languages with a client whose checks are not written, each with the reason. */
export const withoutChecks: Readonly<Record<string, string>> = {
  '.NET': 'the SDK of .NET is not on the machines of this project, so its checks are not written',
}
