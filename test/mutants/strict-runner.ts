import type { RunnerTestFile } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'

/**
 * Says it when a file of tests cannot be loaded, as when what it prepares outside of its tests fails. Without that the
 * mutation tester, which looks at tests only, takes a mutant that breaks all of them for one that no test sees.
 */
export default class StrictRunner extends VitestTestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    const broken = files.filter(({ result }) => result?.state === 'fail')
    if (broken.length > 0) throw new Error(`cannot be loaded: ${broken.map(({ name }) => name).join(', ')}`)
  }
}
