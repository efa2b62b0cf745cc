import { defineConfig } from 'vitest/config'
import everyDay from '../../vitest.config.js'
import { BrokenFiles } from './broken-files.js'

const { projects: _everyDays, ...test } = everyDay.test ?? {}

/** The tests that judge the mutants of one file, which `npm run mutants` names. They share what they import. */
export default defineConfig({
  ...everyDay,
  test: {
    ...test,
    reporters: [new BrokenFiles()],
    isolate: false,
    include: (process.env['STEPWARD_MUTANTS_TESTS'] ?? '').split(','),
  },
})
