import { expect, it } from 'vitest'
import { confirmed } from '../../../../src/cli/input/confirmed.js'
import { openingData } from '../../../../src/cli/input/data-directory.js'
import { scaleTargetOf } from '../../../../src/cli/input/scale-target.js'
import { storeName } from '../../../../src/connection/connection.js'
import { recordedTerminal } from '../../../support/recorded-terminal.js'

const every = { what: 'every job of the store', isFiltered: false }

it('--all without a filter needs --yes or --dry-run when the terminal is not interactive', async () => {
  const { terminal } = recordedTerminal()
  await expect(confirmed({ all: true }, every, terminal)).rejects.toMatchObject({
    exitCode: 2,
    message:
      '--all affects every job of the store: pass --yes to confirm, or --dry-run to see the effect first',
  })
  for (const options of [{ all: true, yes: true }, { all: true, dryRun: true }, {}]) {
    await expect(confirmed(options, every, terminal)).resolves.toBeUndefined()
  }
  await expect(confirmed({ all: true }, { ...every, isFiltered: true }, terminal)).resolves.toBeUndefined()
})

it('--all asks on an interactive terminal, and does nothing without a yes', async () => {
  const asked: string[] = []
  const terminal = (answer: boolean) => ({
    ...recordedTerminal().terminal,
    isInteractive: true,
    confirm: (question: string) => {
      asked.push(question)
      return Promise.resolve(answer)
    },
  })
  await expect(confirmed({ all: true }, every, terminal(true))).resolves.toBeUndefined()
  await expect(confirmed({ all: true }, every, terminal(false))).rejects.toThrow('nothing was done')
  expect(asked).toEqual(Array(2).fill('This affects every job of the store. Continue?'))
})

it('a data directory that is a file, or cannot be created, is refused by name', async () => {
  const open = () => Promise.resolve('opened')
  await expect(openingData(import.meta.filename, open)).rejects.toThrow(
    /--data .*confirmed\.test\.ts is a file: name a directory/,
  )
  const readOnly = () =>
    Promise.reject(Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' }))
  await expect(openingData('/read-only', readOnly)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^--data \/read-only cannot be used \(EROFS/) as string,
  })
  await expect(openingData('.', () => Promise.reject(new Error('in use')))).rejects.toThrow(/^in use$/)
  expect(await openingData('.', open)).toBe('opened')
})

it('a role that does not exist is refused as a target for scaling', async () => {
  await expect(scaleTargetOf('nosuch', {})).rejects.toMatchObject({
    exitCode: 2,
    message: '"nosuch" is not a role: it must be one of scheduler, agents, supervisor, notifier, all',
  })
})

it('the name of a store does not contain its key', () => {
  const connectionString = 'AccountEndpoint=https://a.documents.azure.com/;AccountKey=c2VjcmV0;'
  expect(storeName({ connectionString, database: 'shop' })).toBe('https://a.documents.azure.com shop/state')
})
