import ts from 'typescript'
import { importsOf } from './imports.js'
import { nodesOf, offence, type Source } from './source.js'

/** What a name gives access to. It decides which rooms may use the name. */
type Capability = 'clock' | 'timer' | 'chance' | 'environment'

/** Names that are banned by themselves, as globals or imports. */
const bareNames: Readonly<Record<string, Capability>> = {
  setTimeout: 'timer',
  setInterval: 'timer',
  setImmediate: 'timer',
  randomUUID: 'chance',
  randomBytes: 'chance',
  randomInt: 'chance',
  getRandomValues: 'chance',
}

/** Members of globals. The first part of each key is the name of the object. */
const members: Readonly<Record<string, Capability>> = {
  'Date.now': 'clock',
  'performance.now': 'clock',
  'performance.timeOrigin': 'clock',
  'process.hrtime': 'clock',
  'AbortSignal.timeout': 'timer',
  'Math.random': 'chance',
  'crypto.randomUUID': 'chance',
  'crypto.randomBytes': 'chance',
  'crypto.randomInt': 'chance',
  'crypto.getRandomValues': 'chance',
  'process.env': 'environment',
}

const modules: Readonly<Record<string, Capability>> = {
  timers: 'timer',
  'timers/promises': 'timer',
}

const advice: Readonly<Record<Capability, string>> = {
  clock: 'take a Clock, or the time as an argument',
  timer: 'take a Clock and use its sleep or schedule',
  chance: 'take a Random',
  environment:
    'take the value as an option; only src/connection, src/host and src/fleet read the environment',
}

/**
 * Returns every use of the machine's clocks, timers, chance and environment outside the rooms that own them.
 */
export function bannedGlobals(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    usesOf(source)
      .filter(({ capability }) => !isAllowed(source.path, capability))
      .map(({ node, name, capability }) => offence(source, node, `${name}: ${advice[capability]}`)),
  )
}

function isAllowed(path: string, capability: Capability): boolean {
  // The pages run in a browser, where the platform does not exist.
  if (/^src\/(platform|emulator\/explorer\/page|page\/browser)\//.test(path)) return true
  // A sample is like the code of a user, which may read its own configuration.
  return capability === 'environment' && /^(src\/(connection|host|fleet)\/|samples\/)/.test(path)
}

interface Use {
  readonly node: ts.Node
  readonly name: string
  readonly capability: Capability
}

function usesOf(source: Source): Use[] {
  const uses: Use[] = importsOf(source).flatMap(({ node, specifier: name }) => {
    const capability = modules[name.replace(/^node:/, '')]
    return capability === undefined ? [] : [{ node, name, capability }]
  })
  for (const node of nodesOf(source)) {
    const use = bareUse(node) ?? memberUse(node) ?? destructuredUse(node) ?? currentDate(node)
    if (use !== null) uses.push(use)
  }
  return uses
}

/**
 * `setTimeout(…)`, `import { randomUUID }`, `globalThis.setTimeout`, but not `socket.setTimeout` or `{
 * setTimeout: … }`.
 */
function bareUse(node: ts.Node): Use | null {
  if (!ts.isIdentifier(node) || !Object.hasOwn(bareNames, node.text)) return null
  const capability = bareNames[node.text]
  const { parent } = node
  const isOthersMember =
    (ts.isPropertyAccessExpression(parent) &&
      parent.name === node &&
      lastName(parent.expression) !== 'globalThis') ||
    ((ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isPropertySignature(parent)) &&
      parent.name === node)
  return isOthersMember || capability === undefined ? null : { node, name: node.text, capability }
}

/** `Date.now`, `globalThis.Date.now`, `process['env']`, and the same by import. */
function memberUse(node: ts.Node): Use | null {
  if (ts.isPropertyAccessExpression(node)) return member(node, lastName(node.expression), node.name.text)
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return member(node, lastName(node.expression), node.argumentExpression.text)
  }
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return importedMember(node, node.moduleSpecifier.text.replace(/^node:/, ''))
  }
  return null
}

/** `import { env } from 'node:process'`. */
function importedMember(node: ts.ImportDeclaration, object: string): Use | null {
  const taken = node.importClause?.namedBindings
  if (taken === undefined || !ts.isNamedImports(taken)) return null
  const names = taken.elements.map((element) => (element.propertyName ?? element.name).text)
  // `bareUse` reports the names that are banned by themselves.
  const others = names.filter((name) => !Object.hasOwn(bareNames, name))
  return others.map((name) => member(node, object, name)).find(isUse) ?? null
}

/** `const { env } = process`. */
function destructuredUse(node: ts.Node): Use | null {
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return null
  if (node.initializer === undefined) return null
  const object = lastName(node.initializer)
  const uses = node.name.elements.map((element) => {
    const name = element.propertyName ?? element.name
    return ts.isIdentifier(name) ? member(node, object, name.text) : null
  })
  return uses.find(isUse) ?? null
}

/** `new Date()` and `Date()`: the present moment. `new Date(ms)` only converts. */
function currentDate(node: ts.Node): Use | null {
  const isConstruction = ts.isNewExpression(node)
  if (!isConstruction && !ts.isCallExpression(node)) return null
  if (lastName(node.expression) !== 'Date') return null
  if (isConstruction && (node.arguments?.length ?? 0) > 0) return null
  return { node, name: isConstruction ? 'new Date()' : 'Date()', capability: 'clock' }
}

function member(node: ts.Node, object: string | null, property: string): Use | null {
  const name = `${object ?? ''}.${property}`
  const capability = Object.hasOwn(members, name) ? members[name] : undefined
  return capability === undefined ? null : { node, name, capability }
}

function isUse(use: Use | null): use is Use {
  return use !== null
}

/** Returns the last name of an expression if it is a global or a member of `globalThis`, or else null. */
function lastName(expression: ts.Expression): string | null {
  if (ts.isIdentifier(expression)) return expression.text
  const isGlobal =
    ts.isPropertyAccessExpression(expression) &&
    ts.isIdentifier(expression.expression) &&
    expression.expression.text === 'globalThis'
  return isGlobal ? expression.name.text : null
}
