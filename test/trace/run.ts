/** `npm run trace` prints the tests that name each requirement, row of the failure matrix and behaviour. */
import { isTest, readRepository, sourcesOf } from '../tidy/repository.js'
import { excusesOf, trace, traceText } from './trace.js'

// The compiled file lies elsewhere, but npm runs scripts in the folder of the package.
const files = readRepository(`${process.cwd()}/`)
const paths = ['docs/requirements.md', 'docs/failure-matrix.md', 'docs/processor-behaviour.md']
const lists = paths.map((path) => {
  const list = files.find((file) => file.path === path)
  if (list === undefined) throw new RangeError(`${path} is missing`)
  return list
})
const tests = sourcesOf(files.filter(isTest))
process.stdout.write(`${traceText(trace(lists, tests), excusesOf(lists))}\n`)
