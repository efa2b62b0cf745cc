import { expect, it } from 'vitest'
import { childArguments } from '../../../../src/cli/running/run-fleet.js'

it('a child gets the words of its parent, with one role and without what belongs to the fleet', () => {
  const words = [
    'start',
    '--role',
    'scheduler',
    'agents',
    '--instances',
    '2',
    '--config',
    'a.json',
    '--state=dir',
    '--verbose',
  ]
  expect(childArguments(words, 'agents')).toEqual([
    'start',
    '--config',
    'a.json',
    '--verbose',
    '--role',
    'agents',
    '--supervised',
  ])
})
