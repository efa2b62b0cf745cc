import { shown, type Terminal } from '../../src/cli/output/terminal.js'

/** Returns a non-interactive terminal of 80 columns that records its output. */
export function recordedTerminal(): {
  readonly terminal: Terminal
  /** Returns the results and remarks so far, one line each. */
  readonly said: () => string
  readonly noted: readonly string[]
  readonly forget: () => void
} {
  const lines: string[] = []
  const noted: string[] = []
  const terminal: Terminal = {
    print: (text) => void lines.push(shown(text, false)),
    note: (text) => {
      // Every command that reads a store prints this line, with a port that differs in every run.
      if (text.startsWith('store: ')) return
      const remark = shown(text, false)
      lines.push(remark)
      noted.push(remark)
    },
    progress: () => undefined,
    progressDone: () => undefined,
    isInteractive: false,
    width: 80,
    tableWidth: 80,
    confirm: () => Promise.resolve(false),
    height: 24,
  }
  const forget = (): void => {
    lines.length = 0
    noted.length = 0
  }
  return { terminal, said: () => lines.join('\n'), noted, forget }
}
