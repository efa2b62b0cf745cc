import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { wellKnownKey } from '../../src/emulator/internal.js'
import { blocksOf, pageText, root } from './doc-page.js'
import { run } from './processes.js'

const page = 'docs/test-with-the-emulator.md'
const files = blocksOf(page).filter(({ language, note }) => language === 'js' && note !== '')

/**
 * Settings in place of this project's. The package is loaded as it is, as vitest does with packages in
 * `node_modules`.
 */
const settings =
  'export default { test: { testTimeout: 60_000, server: { deps: { external: [/dist/] } } } }\n'

/** Asks the emulator for a page without a signature, before and after the teardown. */
const setupAndTeardown = `
import setup from './setup.mjs'
import teardown from './teardown.mjs'
await setup()
const [endpoint] = /http:[^;]+/.exec(process.env.COSMOS_CONNECTION_STRING)
console.log((await fetch(endpoint)).status)
await teardown()
await fetch(endpoint).catch((error) => console.log(error.message))`

describe(page, () => {
  // Inside the package, so that its own name resolves.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  const directory = mkdtempSync(join(root, '.stepward', 'docs-'))
  for (const { note, text } of files) {
    mkdirSync(dirname(join(directory, note)), { recursive: true })
    writeFileSync(join(directory, note), text)
  }
  writeFileSync(join(directory, 'vitest.config.js'), settings)
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  it('names the well-known key', () => {
    expect(pageText(page).match(/(?<=AccountKey=)[^\s;]+/gu)).toEqual([wellKnownKey])
  })

  it('has examples that pass in vitest', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { code, stdout, stderr } = await run(vitest, ['run', '--root', directory, 'vitest/'])
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/Tests .*2 passed/u)
  })

  it.each(['orders.test.js', 'feed.test.cjs'])(
    'has an example that passes in node:test: %s',
    async (file) => {
      const { code, stdout, stderr } = await run('--test', [join(directory, 'node-test', file)])
      expect(code, stdout + stderr).toBe(0)
      expect(stdout).toMatch(/pass 1\b/)
    },
  )

  it('has a global setup that starts an emulator, and a teardown that stops it', async () => {
    const script = join(directory, 'jest', 'both.mjs')
    writeFileSync(script, setupAndTeardown)
    const { code, stdout, stderr } = await run(script, [])
    expect(code, stderr).toBe(0)
    expect(stdout).toBe('401\nfetch failed\n')
  })
})
