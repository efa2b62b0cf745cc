import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execPath } from 'node:process'
import { callProgram, plainWords } from './called-program.js'
import { blocksOf, commandIn, commandsOf, root, type Block } from './doc-page.js'
import { cli, environment, Running, type Ended } from './processes.js'

/** Commands that run until they are stopped. All others end by themselves. */
const staysRunning = /^npx stepward (dev|start)\b(?!.*--once)/u

/** Commands that load modules of a user, or end their process. */
const needsProcess = /^npx stepward (start|submit)\b/u

/** A simulated reader who follows pages line by line, in two terminals and a separate folder. */
export class Reader {
  /** Whether commands run in this process where possible. Other tests check that they start as processes. */
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

  /** `npx stepward` runs the built program directly, because npx itself takes a second. */
  static async in(directory: string): Promise<Reader> {
    const shims = join(directory, 'shims')
    await mkdir(shims)
    await writeFile(join(shims, 'npx'), `#!/bin/sh\nshift\nexec '${execPath}' '${cli}' "$@"\n`)
    await chmod(join(shims, 'npx'), 0o755)
    return new Reader(directory, shims)
  }

  /** The endpoint of the running embedded store. */
  get endpoint(): string {
    return this.variables['COSMOS_ENDPOINT'] ?? ''
  }

  /** Follows a page, except lines that were typed before. Returns where the output differs from the page. */
  async follow(page: string): Promise<readonly string[]> {
    const surprises: string[] = []
    for (const block of blocksOf(page)) surprises.push(...(await this.do(block)))
    return surprises
  }

  /** Returns how many lines of the running programs contain `text`. */
  heard(text: string): number {
    return this.background.reduce((count, running) => count + running.count(text), 0)
  }

  /** Ends all running processes. Returns the errors of those that failed. */
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

  /** Gives an embedded store a free port, because another store may use the default one. */
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

/** Returns the expected lines that are missing from the output. `…` stands for text that varies. */
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
