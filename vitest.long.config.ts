import { defineConfig } from 'vitest/config'
import everyDay from './vitest.config.js'

/** Tests that take minutes: `npm run test:long`. */
export default defineConfig({ ...everyDay, test: { ...everyDay.test, include: ['test/long/**/*.long.ts'] } })
