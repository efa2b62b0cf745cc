import { expect, it } from 'vitest'
import { shortEffort } from '../bench/figure.js'
import { measured } from '../bench/measured.js'
import { cli } from './processes.js'

it('the benchmark of the embedded store runs, and every figure is one', async () => {
  const figures = await measured(shortEffort, cli)
  for (const { name, value } of figures) {
    // With so few documents, what else is on the heap decides what memory was used.
    const least = name.startsWith('memory') ? Number.NEGATIVE_INFINITY : 0
    expect(value, name).toBeGreaterThan(least)
  }
  expect(figures.filter(({ target }) => target !== undefined)).toHaveLength(9)
}, 60_000)
