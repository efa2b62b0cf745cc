import { expect, it } from 'vitest'
import { readRepository } from '../tidy/repository.js'
import { mutants } from './mutants.js'

it('every mutant breaks code that is there once, and names tests that exist', () => {
  const files = new Map(readRepository().map(({ path, text }) => [path, text]))
  const idle = mutants.filter(({ path, code, broken }) => {
    const occurrences = (files.get(path) ?? '').split(code).length - 1
    return occurrences !== 1 || code === broken
  })
  expect(idle.map(({ guard }) => guard)).toEqual([])
  expect(mutants.flatMap(({ tests }) => tests).filter((path) => !files.has(path))).toEqual([])
})
