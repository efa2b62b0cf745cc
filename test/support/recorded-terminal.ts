import { shown, type Terminal } from '../../src/cli/output/terminal.js'

/** A terminal of 80 columns, not a person's, that remembers what it was told. */
export function recordedTerminal(): {
  readonly terminal: Terminal
  /** Results and remarks so far, a line each. */
  readonly said: () => string
  readonly noted: readonly string[]
  readonly forget: () => void
} {
  const lines: string[] = []
  const noted: string[] = []
  const terminal: Terminal = {
    print: (text) => void lines.push(shown(text, false)),
    note: (text) => {
      // Said by every command that looks at a store, at a port of this run.
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
