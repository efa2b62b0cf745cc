import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const inPipeline = process.env['CI'] !== undefined

/** Variables that make a run of tests longer. */
const lengths = ['STEPWARD_DAMAGES', 'STEPWARD_GATED_STEPS', 'STEPWARD_MUTANTS_TESTS', 'STEPWARD_TICKS']

// Settings of the developer's own Stepward would change what tests see, and name an account that they must not use.
if (process.env['npm_lifecycle_event'] !== 'test:store') {
  for (const name of Object.keys(process.env)) {
    if (/^(COSMOS|STEPWARD|WEBSITE)_/.test(name) && !lengths.includes(name))
      Reflect.deleteProperty(process.env, name)
  }
}

/** Short files whose tests take 15 s or more on two cores. Without knowledge of earlier runs, vitest begins with large files. */
const longest = [
  'e2e/',
  'simulation/crash-points',
  'simulation/stories',
  'simulation/long-lines',
  'simulation/seeds',
  'simulation/moved-rounds',
  'simulation/gated-steps',
  'simulation/schedules',
  'simulation/fleet',
  'explore/',
  'page/one-stream',
  'page/accessibility',
  'page/store-away',
  'testing/large-lists',
  'testing/large-values',
  'emulator/kills',
]

/** Begins with the longest files of a project, so that no core waits for the last of them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rankOf = ({ project, moduleId }: TestSpecification): number => {
      if (project.name === 'alone') return 0
      return longest.some((name) => moduleId.includes(`/${name}`)) ? 1 : 2
    }
    return sorted.sort((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  resolve: {
    // The package's own names resolve to its sources, so samples read exactly as a user's code does.
    alias: [
      { find: /^stepward$/, replacement: source('./src/index.ts') },
      { find: /^stepward\/lease-store$/, replacement: source('./lease-store/index.ts') },
      { find: /^stepward\/testing$/, replacement: source('./src/testing/index.ts') },
      { find: /^stepward\/(.+)$/, replacement: source('./src/$1/index.ts') },
    ],
  },
  test: {
    globalSetup: source('./test/support/unpack-browser.ts'),
    reporters: inPipeline ? ['default', 'junit'] : ['default'],
    outputFile: { junit: 'reports/junit.xml' },
    coverage: {
      provider: 'v8',
      include: ['src/**', 'lease-store/**'],
      reporter: ['text-summary', 'cobertura'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/unit/platform/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ['test/unit/platform/**'],
          // Files share what they import: loading it again costs more than the tests. Each closes what it opens.
          isolate: false,
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    // Limits for what hangs, never for what is slow: the machine of a pipeline has others to serve, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // More workers than cores: much of the time is spent waiting for processes that a test started.
    maxWorkers: availableParallelism() * 2,
  },
})
