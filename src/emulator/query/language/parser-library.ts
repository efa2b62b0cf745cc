import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type * as Chevrotain from 'chevrotain'

/**
 * The library of the parser from the one file that its package also contains. By its name, it would load 700 modules,
 * which takes a third of a second of processor time in each process that runs a query.
 */
const entry = pathToFileURL(createRequire(import.meta.url).resolve('chevrotain'))

export const { createToken, EmbeddedActionsParser, Lexer } = (await import(
  new URL('../chevrotain.mjs', entry).href
)) as typeof Chevrotain
