/** `npm run trace`: for every requirement and every row of the failure matrix, the tests that name it. */
import { isTest, readRepository, sourcesOf } from '../tidy/repository.js'
import { trace, traceText } from './trace.js'

// Compiled, this file lies elsewhere; npm runs scripts in the package's folder.
const files = readRepository(`${process.cwd()}/`)
const lists = ['docs/requirements.md', 'docs/failure-matrix.md'].map((path) => {
  const list = files.find((file) => file.path === path)
  if (list === undefined) throw new RangeError(`${path} is missing`)
  return list
})
const tests = sourcesOf(files.filter(isTest))
process.stdout.write(`${traceText(trace(lists, tests))}\n`)
