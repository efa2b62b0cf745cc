import type { RunnerTestCase, RunnerTestFile } from 'vitest'
import type { Reporter, Vitest } from 'vitest/node'

/**
 * Counts a test file that cannot be loaded as a failed test, for instance when its setup outside of tests
 * fails. The mutation tester looks at tests only, so without this it would miss a mutant that breaks a whole
 * file.
 */
export class BrokenFiles implements Reporter {
  private vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onTestRunEnd(): void {
    const files = this.vitest?.state.getFiles() ?? []
    for (const file of files) if (file.result?.state === 'fail') file.tasks.push(failureOf(file))
  }
}

function failureOf(file: RunnerTestFile): RunnerTestCase {
  const { result } = file
  return { type: 'test', name: 'can be loaded', mode: 'run', file, result, meta: {} } as RunnerTestCase
}
