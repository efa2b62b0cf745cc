import ts from 'typescript'
import { importsOf } from './imports.js'
import { nodesOf, offence, type Source } from './source.js'

/**
 * Files that may wait for the machine's clock, each with the reason. A file that no longer waits is removed.
 */
const mayWait: Readonly<Record<string, string>> = {
  'test/bench/growth/phases.ts':
    'the store writes the summaries of blocks when it rests, and reports nothing',
  'test/bench/growth/questions.ts': 'roles without work are measured for a while',
  'test/bench/jobs/memory.ts': 'memory is measured again after a rest',
  'test/bench/jobs/workload.ts': 'a step that takes its time is what a worker is killed in',
  'test/bench/peers/rivals.ts': 'the server of another system says nothing when it is ready',
  'test/bench/processor/latency.ts': 'writes must not come in step with polls',
  'test/bench/processor/throughput.ts': 'a delegate that takes its time is what is measured',
  'test/judge/runs/client.ts': 'a person who submits and decides at moments of their own',
  'test/judge/runs/member.ts': 'a delegate that takes its time is what a process is killed in',
  'test/judge/runs/one-run.ts': 'faults of real processes come at moments',
  'test/judge/runs/remote.ts': 'a service outside that is slow',
  'test/judge/runs/store.ts': 'a fault lasts for a while',
  'test/long/older/kinds.ts': 'a step that takes its time is what a host of an older build is killed in',
  'test/long/older/try-older.ts': 'hosts in other processes are asked for their documents only',
  'test/long/soak.ts': 'jobs come at a rate',
  'test/long/page-soak/day.ts': 'the last changes before the first sample are still on their way',
  'test/long/page-soak/shown-store.ts': 'its clock passes sleeps on',
  'test/long/page-soak/some-minutes.ts': 'changes come at a rate',
  'test/long/page-pictures.ts': 'pictures are made after views were open for a while',
  'test/long/shop-of-pictures.ts': 'services take time, as bars in pictures show',
  'test/long/hostile/socket.ts': 'a client that sends slowly is what the server must bear',
  'test/unit/platform/clock.test.ts': 'the system clock itself is under test, on simulated timers',
}

const suites = new Set(['describe', 'it', 'test', 'suite', 'bench'])
const switches = new Set(['only', 'skip', 'todo'])

/** Returns tests that do not run, keep others from running, or cannot fail. */
export function idleTests(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [...nodesOf(source)].flatMap((node) => {
      const problem = switchedTest(node) ?? constantExpectation(node)
      return problem === null ? [] : [offence(source, node, problem)]
    }),
  )
}

/** `it.skip(…)`, `describe.concurrent.only(…)`, `it('…', { todo: true }, …)`, `context.skip()`. */
function switchedTest(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && switches.has(node.name.text)) {
    const first = firstName(node.expression)
    if (suites.has(first) || first === 'context') return `.${node.name.text}: every test runs, always`
  }
  if (!ts.isCallExpression(node) || !suites.has(firstName(node.expression))) return null
  const options = node.arguments.find((argument) => ts.isObjectLiteralExpression(argument))
  const found = options?.properties.find(
    ({ name }) => name !== undefined && ts.isIdentifier(name) && switches.has(name.text),
  )
  return found === undefined ? null : `${found.getText()}: every test runs, always`
}

function constantExpectation(node: ts.Node): string | null {
  if (!ts.isCallExpression(node) || !/^expect(\.soft)?$/.test(node.expression.getText())) return null
  const value = node.arguments[0]
  const isConstant =
    value !== undefined &&
    (value.kind === ts.SyntaxKind.TrueKeyword ||
      value.kind === ts.SyntaxKind.FalseKeyword ||
      value.kind === ts.SyntaxKind.NullKeyword ||
      ts.isLiteralExpression(value))
  return isConstant ? `expect(${value.getText()}) does not depend on the code under test` : null
}

/** Returns the first identifier of a chain of members and calls. */
function firstName(expression: ts.Expression): string {
  let head = expression
  while (ts.isPropertyAccessExpression(head) || ts.isCallExpression(head)) head = head.expression
  return ts.isIdentifier(head) ? head.text : ''
}

/** Returns tests that wait for time to pass instead of for an event. */
export function sleepingTests(
  sources: readonly Source[],
  allowed: Readonly<Record<string, string>> = mayWait,
): string[] {
  const waiting = new Map(sources.map((source) => [source.path, waitsOf(source)]))
  const unexcused = [...waiting].flatMap(([path, waits]) => (Object.hasOwn(allowed, path) ? [] : waits))
  const needless = Object.keys(allowed)
    .filter((path) => (waiting.get(path) ?? []).length === 0)
    .map(
      (path) => `${path}: does not wait for the machine's clock (any more); take it off the list of mayWait`,
    )
  return [...unexcused, ...needless]
}

function waitsOf(source: Source): string[] {
  const advice = 'await a telemetry event, or advance a VirtualClock'
  const imported = importsOf(source)
    .filter(({ specifier }) => /^(node:)?timers\/promises$/.test(specifier))
    .map(({ node, specifier }) => offence(source, node, `${specifier}: ${advice}`))
  const used = [...nodesOf(source)].flatMap((node) => {
    const name = waitAt(node)
    return name === null ? [] : [offence(source, node, `${name}: ${advice}`)]
  })
  return [...imported, ...used]
}

function waitAt(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const text = `${firstName(node.expression)}.${node.name.text}`
    return /^(systemClock\.(sleep|schedule)|globalThis\.set(Timeout|Interval))$/.test(text) ? text : null
  }
  if (!ts.isIdentifier(node) || !/^set(Timeout|Interval)$/.test(node.text)) return null
  const { parent } = node
  const isName =
    (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node
  return isName ? null : node.text
}
