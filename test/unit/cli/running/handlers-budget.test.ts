import { expect, it } from 'vitest'
import { handlersBudgetMs } from '../../../../src/cli/running/run-host.js'

it.each([
  ['five seconds without the margin of the process', 4_500, 1_300],
  ['half a minute', 30_000, 18_000],
  ['a second', 1_000, 200],
])(
  'of %s, handlers get 60 %% or what giving attempts back leaves, but at least 20 %%',
  (_name, stopWithinMs, budgetMs) => {
    expect(handlersBudgetMs(stopWithinMs)).toBe(budgetMs)
  },
)
