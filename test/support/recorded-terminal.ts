import type { Terminal } from '../../src/cli/terminal.js'

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
    print: (text) => void lines.push(text),
    note: (text) => {
      // Said by every command that looks at a store, at a port of this run.
      if (text.startsWith('store: ')) return
      lines.push(text)
      noted.push(text)
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
