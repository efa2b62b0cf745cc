import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import everyDay from '../../vitest.config.js'
import { BrokenFiles } from './broken-files.js'

const { projects: _everyDays, ...test } = everyDay.test ?? {}
const include = (process.env['STEPWARD_MUTANTS_TESTS'] ?? '').split(',')
const isOfJobs = include.every((path) => /^test\/(unit|integration)\/sas\//.test(path))
const noSdk = {
  find: /^@azure\/cosmos$/,
  replacement: fileURLToPath(new URL('./no-sdk.ts', import.meta.url)),
}

/** Runs the tests that `npm run mutants` names for the mutants of one file. They share what they import. */
export default defineConfig({
  resolve: { alias: [everyDay.resolve?.alias ?? [], isOfJobs ? [noSdk] : []].flat() as [] },
  test: { ...test, reporters: [new BrokenFiles()], isolate: false, include },
})
