import { defineConfig } from 'vitest/config'
import everyDay from '../../vitest.config.js'

const { projects: _everyDays, ...test } = everyDay.test ?? {}

/** The tests that judge the mutants of one file, which `npm run mutants` names. They share what they import. */
export default defineConfig({
  ...everyDay,
  test: {
    ...test,
    reporters: [],
    isolate: false,
    runner: './test/mutants/strict-runner.ts',
    include: (process.env['STEPWARD_MUTANTS_TESTS'] ?? '').split(','),
  },
})
