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

const project = await mkdtemp(join(tmpdir(), 'stepward-package-'))
const inProject = (program: string, ...args: readonly string[]) =>
  execute(program, [...args], { cwd: project })
try {
  const packed = await execute('npm', ['pack', '--json', '--pack-destination', project], { cwd: root })
  const [tarball] = JSON.parse(packed.stdout) as Packed[]
  if (tarball === undefined) throw new Error('npm pack made nothing')
  console.log(`packed ${tarball.entryCount} files, ${Math.round(tarball.size / 1_024)} KiB`)
  const paths = new Set(tarball.files.map(({ path }) => path))
  const page = { path: 'README.md', text: await readFile(join(root, 'README.md'), 'utf8') }
  const dead = deadLinks(page, (path) => paths.has(path))
  console.log(
    `links of README.md that lead nowhere in the package: ${dead.length === 0 ? 'none' : dead.join('; ')}`,
  )
  if (dead.length > 0) process.exitCode = 1
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
