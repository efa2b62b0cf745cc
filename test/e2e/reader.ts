import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execPath } from 'node:process'
import { callProgram, plainWords } from './called-program.js'
import { blocksOf, commandIn, commandsOf, root, type Block } from './doc-page.js'
import { cli, environment, Running, type Ended } from './processes.js'

/** What runs until it is told to stop; everything else ends by itself. */
const staysRunning = /^npx stepward (dev|start)\b(?!.*--once)/u

/** What loads modules that a user has built, or ends its process. */
const needsProcess = /^npx stepward (start|submit)\b/u

/** Somebody who follows pages in a folder of their own, in two terminals, line by line. */
export class Reader {
  /** Calls the program in this process where it can be: for whoever has seen that commands start by themselves. */
  isBrief = false
  private readonly background: Running[] = []
  private readonly typed = new Set<string>()
  private lastOutput = ''
  private variables: NodeJS.ProcessEnv

  private constructor(
    private directory: string,
    shims: string,
  ) {
    const path = `${shims}${delimiter}${process.env['PATH'] ?? ''}`
    this.variables = { ...environment(), PATH: path, NO_COLOR: '1' }
  }

  /** `npx stepward` is the program as built, without the second that npx itself takes. */
  static async in(directory: string): Promise<Reader> {
    const shims = join(directory, 'shims')
    await mkdir(shims)
    await writeFile(join(shims, 'npx'), `#!/bin/sh\nshift\nexec '${execPath}' '${cli}' "$@"\n`)
    await chmod(join(shims, 'npx'), 0o755)
    return new Reader(directory, shims)
  }

  /** Of the embedded store that runs. */
  get endpoint(): string {
    return this.variables['COSMOS_ENDPOINT'] ?? ''
  }

  /** Does all that a page says, but for lines that were typed before, and reports what came out otherwise than it says. */
  async follow(page: string): Promise<readonly string[]> {
    const surprises: string[] = []
    for (const block of blocksOf(page)) surprises.push(...(await this.do(block)))
    return surprises
  }

  /** Ends what still runs; what did not end well is reported. */
  async leave(): Promise<readonly string[]> {
    const ends = await Promise.all(this.background.splice(0).map((running) => running.kill('SIGTERM')))
    return ends.filter(({ code }) => code !== 0).map(({ code, stderr }) => `ended with ${code}: ${stderr}`)
  }

  private async do({ language, note, text }: Block): Promise<readonly string[]> {
    if (language === 'text') return missingLines(text, this.lastOutput)
    if (language === 'sh' && note === '') {
      const surprises: string[] = []
      this.lastOutput = ''
      for (const line of commandsOf(text))
        if (!this.typed.has(line)) surprises.push(...(await this.type(line)))
      return surprises
    }
    if (note.includes('.')) await writeFile(join(this.directory, note), text)
    return []
  }

  private async type(line: string): Promise<readonly string[]> {
    this.typed.add(line)
    const { command, code } = commandIn(line)
    if (command === 'npm install stepward') {
      await mkdir(join(this.directory, 'node_modules'))
      await symlink(root, join(this.directory, 'node_modules', 'stepward'))
      return []
    }
    if (staysRunning.test(command)) return this.leaveRunning(command)
    const words = plainWords(command)
    const ended =
      this.isBrief && words !== null && !needsProcess.test(command)
        ? await callProgram(words, { directory: this.directory, endpoint: this.endpoint })
        : await new Running(this.shell(command)).ended
    this.lastOutput += ended.stdout
    const folder = /\bcd (\S+)$/u.exec(command)?.[1]
    if (folder !== undefined) this.directory = join(this.directory, folder)
    return ended.code === code ? [] : [`${line}: ${told(ended)}`]
  }

  /** An embedded store gets a port of its own: the usual one may be in use by somebody else's. */
  private async leaveRunning(command: string): Promise<readonly string[]> {
    const isStore = /stepward dev\b/u.test(command)
    const running = new Running(this.shell(`exec ${command}${isStore ? ' --port 0' : ''}`))
    this.background.push(running)
    await running.line('Ctrl-C stops it')
    const said = running.heard.join('\n')
    this.lastOutput += said
    const endpoint = /run on (http\S+\/);/u.exec(said)?.[1]
    if (isStore) this.variables = { ...this.variables, COSMOS_ENDPOINT: endpoint }
    return []
  }

  private shell(command: string): ChildProcess {
    return spawn('/bin/sh', ['-c', command], {
      cwd: this.directory,
      env: this.variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}

function told({ code, stdout, stderr }: Omit<Ended, 'signal'>): string {
  return `exit code ${code}\n${stdout}${stderr}`
}

/** Lines of a page's output that did not come; `…` stands for what differs from time to time. */
function missingLines(expected: string, output: string): readonly string[] {
  const lines = output.split('\n').map((line) => line.trim().replaceAll(/\s+/gu, ' '))
  const wanted = expected.split('\n').filter((line) => line.trim() !== '')
  return wanted.flatMap((line) => {
    const parts = line.trim().replaceAll(/\s+/gu, ' ').split('…')
    const pattern = new RegExp(`^${parts.map((part) => escaped(part)).join('.*')}$`, 'u')
    return lines.some((one) => pattern.test(one)) ? [] : [`not in the output: ${line}\n${output}`]
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&')
}
