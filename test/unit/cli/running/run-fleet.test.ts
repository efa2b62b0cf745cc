import { expect, it } from 'vitest'
import { childArguments } from '../../../../src/cli/running/run-fleet.js'

it('a child process gets its parent’s arguments, with one role and without options of the fleet', () => {
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
  expect(childArguments(words, ['--role', 'agents'])).toEqual([
    'start',
    '--config',
    'a.json',
    '--verbose',
    '--role',
    'agents',
    '--supervised',
  ])
})
