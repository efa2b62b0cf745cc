import { readFileSync } from 'node:fs'
import { Linter } from 'eslint'
import { expect, it } from 'vitest'

type Rules = Linter.RulesRecord

/** Returns the rules of the block of docs/workflows.md that configures ESLint. */
async function documentedRules(): Promise<Rules> {
  const page = readFileSync(new URL('../../../../docs/workflows.md', import.meta.url), 'utf8')
  const block = /```js eslint\n(.*?)```/su.exec(page)?.[1] ?? ''
  const module = (await import(`data:text/javascript,${encodeURIComponent(block)}`)) as {
    readonly default: readonly { readonly rules: Rules }[]
  }
  return module.default[0]?.rules ?? {}
}

/** Returns the number of places in a definition that ESLint reports. */
async function reported(code: string): Promise<number> {
  const messages = new Linter().verify(`export const define = (job, paid) => { ${code} }`, {
    languageOptions: { ecmaVersion: 'latest', sourceType: 'module' },
    rules: await documentedRules(),
  })
  for (const { ruleId } of messages) expect(ruleId).toBe('no-restricted-syntax')
  return messages.length
}

it.each([
  "job.step('a', shop.sell, { name: job.input.name ?? 'x' })",
  "job.step('a', shop.sell, { name: job.input.name || 'x' })",
  "job.input.isGift && job.step('a', shop.sell, {})",
  "if (job.input.isGift) job.step('a', shop.sell, {})",
  "if (!job.input.items[0].isGift) job.step('a', shop.sell, {})",
  "if (paid.output.total === 3) job.step('a', shop.sell, {})",
  "if (3 != paid.output.total) job.step('a', shop.sell, {})",
  "const name = paid.outcome ? 'a' : 'b'",
  'while (job.input.more) job.sleep()',
  "switch (job.input.kind) { case 'a': break }",
])('the documented rules report a reference that is used as a value: %s', async (code) => {
  expect(await reported(code)).toBe(1)
})

it.each([
  "job.step('a', shop.sell, { name: job.input.name }, { when: condition.equal(job.input.isGift, true) })",
  "job.step('a', shop.sell, job.input, { after: [paid], when: condition.done(paid) })",
  "const region = process.env.REGION ?? 'west'; if (region === 'west') job.sleep('nap', '3d')",
  "for (const name of names) if (name !== 'a') job.step(name, shop.sell, { name, paid: paid.output.total })",
])('the documented rules accept a definition with conditions: %s', async (code) => {
  expect(await reported(code)).toBe(0)
})
