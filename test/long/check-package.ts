import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deadLinks } from '../tidy/papers.js'

interface Packed {
  readonly filename: string
  readonly size: number
  readonly entryCount: number
  readonly files: readonly { readonly path: string }[]
}

/** Installs the packed package into an empty project, and uses it there as its users do. */

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const entryPoints = [
  'stepward',
  'stepward/change-feed-processor',
  'stepward/lease-store',
  'stepward/emulator',
  'stepward/testing',
]
const helpWithinMs = 300

/** Prints a list that must be empty, and makes the check fail if it is not. */
function report(what: string, found: readonly string[]): void {
  console.log(`${what}: ${found.length === 0 ? 'none' : found.join('; ')}`)
  if (found.length > 0) process.exitCode = 1
}

/** A CommonJS application: it gets a client by `require`, and a processor reads its containers. */
const required = `
  const { CosmosClient } = require('@azure/cosmos')
  const { ChangeFeedProcessor } = require('stepward/change-feed-processor')
  const { startEmulator } = require('stepward/emulator')
  startEmulator({ port: 0 }).then(async (emulator) => {
    const client = new CosmosClient({ endpoint: emulator.endpoint, key: emulator.key })
    const { database } = await client.databases.create({ id: 'shop' })
    const partitionKey = { paths: ['/id'] }
    const { container: monitoredContainer } = await database.containers.create({ id: 'orders', partitionKey })
    const leases = { id: 'leases', partitionKey, defaultTtl: -1 }
    const { container: leaseContainer } = await database.containers.create(leases)
    await monitoredContainer.items.create({ id: 'one' })
    const end = (text) => { console.log(text); process.exit(text === 'one' ? 0 : 1) }
    const processor = new ChangeFeedProcessor({
      monitoredContainer, leaseContainer, processorName: 'unit', instanceName: 'one', startFrom: 'beginning',
      onChanges: ([change]) => end(change.id), onError: (place, error) => end(error.message),
    })
    await processor.start()
  })`

const starting = `
  const { startEmulator } = await import('stepward/emulator')
  const emulator = await startEmulator({ port: 0 })
  console.log(Object.keys(await import('stepward')).includes('startHost'))
  await emulator.close()`

const project = await mkdtemp(join(tmpdir(), 'stepward-package-'))
const inProject = (program: string, ...args: readonly string[]) =>
  execute(program, [...args], { cwd: project })
try {
  const packed = await execute('npm', ['pack', '--json', '--pack-destination', project], { cwd: root })
  const [tarball] = JSON.parse(packed.stdout) as Packed[]
  if (tarball === undefined) throw new Error('npm pack made nothing')
  console.log(`packed ${tarball.entryCount} files, ${Math.round(tarball.size / 1_024)} KiB`)
  const paths = new Set(tarball.files.map(({ path }) => path))
  const folders = new Set([...paths].map((path) => path.slice(0, path.lastIndexOf('/'))))
  const pages = [...paths].filter((path) => path.endsWith('.md'))
  const texts = await Promise.all(
    pages.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  )
  const isThere = (path: string): boolean => paths.has(path) || folders.has(path)
  report(
    'links that lead nowhere in the package',
    texts.flatMap((page) => deadLinks(page, isThere)),
  )
  report(
    'maps of sources that are not packed',
    [...paths].filter((path) => path.endsWith('.map')),
  )
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await inProject('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball.filename}`)

  for (const name of entryPoints) {
    const { stdout } = await inProject(
      'node',
      '--input-type=module',
      '-e',
      `console.log(Object.keys(await import('${name}')).length)`,
    )
    console.log(`import '${name}': ${stdout.trim()} names`)
  }

  const { stdout: read } = await inProject('node', '--input-type=commonjs', '-e', required)
  console.log(`a CommonJS application reads the feed of its own client: ${read.trim()}`)

  await writeFile(
    join(project, 'use.ts'),
    entryPoints.map((name, index) => `export * as room${index} from '${name}'`).join('\n'),
  )
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  await symlink(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'), 'dir')
  for (const [module, resolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ] as const) {
    const settings = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2023',
      '--types',
      'node',
    ]
    await inProject(
      'node',
      typescript,
      ...settings,
      '--module',
      module,
      '--moduleResolution',
      resolution,
      'use.ts',
    )
    console.log(`types resolve under ${resolution}`)
  }

  for (const name of ['lmdb', '@lmdb']) {
    await rm(join(project, 'node_modules', name), { recursive: true, force: true })
  }
  const { stdout: names } = await inProject('node', '--input-type=module', '-e', starting)
  console.log(`without lmdb, a store in memory starts: ${names.trim()}`)

  const program = join(project, 'node_modules/stepward/dist/src/cli/main.js')
  const times: number[] = []
  for (let run = 0; run < 5; run += 1) {
    const beganAt = performance.now()
    await inProject('node', program, '--help')
    times.push(performance.now() - beganAt)
  }
  const fastestMs = Math.round(Math.min(...times))
  console.log(`stepward --help: ${fastestMs} ms (at most ${helpWithinMs})`)
  if (fastestMs > helpWithinMs) process.exitCode = 1
} finally {
  await rm(project, { recursive: true })
}
