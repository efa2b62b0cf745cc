/** `npm run trace`: for every requirement, row of the failure matrix and behaviour, the tests that name it. */
import { isTest, readRepository, sourcesOf } from '../tidy/repository.js'
import { excusesOf, trace, traceText } from './trace.js'

// Compiled, this file lies elsewhere; npm runs scripts in the package's folder.
const files = readRepository(`${process.cwd()}/`)
const paths = ['docs/requirements.md', 'docs/failure-matrix.md', 'docs/processor-behaviour.md']
const lists = paths.map((path) => {
  const list = files.find((file) => file.path === path)
  if (list === undefined) throw new RangeError(`${path} is missing`)
  return list
})
const tests = sourcesOf(files.filter(isTest))
process.stdout.write(`${traceText(trace(lists, tests), excusesOf(lists))}\n`)
