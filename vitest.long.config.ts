import { defineConfig } from 'vitest/config'
import everyDay from './vitest.config.js'

const { projects: _everyDays, ...test } = everyDay.test ?? {}

/** Tests that take minutes: `npm run test:long`. */
export default defineConfig({ ...everyDay, test: { ...test, include: ['test/long/**/*.long.ts'] } })
