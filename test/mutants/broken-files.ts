import type { RunnerTestCase, RunnerTestFile } from 'vitest'
import type { Reporter, Vitest } from 'vitest/node'

/**
 * Counts a file of tests that cannot be loaded, as when what it prepares outside of its tests fails, as a test that fails.
 * The mutation tester looks at tests only: without this, a mutant that breaks all of them is one that no test sees.
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
