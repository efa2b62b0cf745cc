import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDirectory } from '../../../src/platform/create-directory.js'

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stepward-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  return directory
}

it('creates a directory and its parents with the mode, and accepts an existing directory', () => {
  const root = scratch()
  const directory = join(root, 'a', 'b')
  createDirectory(directory, 0o700)
  createDirectory(directory)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700)
})

it('refuses a path that leads through a file', () => {
  const file = join(scratch(), 'file')
  writeFileSync(file, '')
  expect(() => {
    createDirectory(file)
  }).toThrow('EEXIST')
  expect(() => {
    createDirectory(join(file, 'below'))
  }).toThrow('ENOTDIR')
})
