import type { Json } from '../model/values/json.js'
import { restOf, type SecretPath } from '../model/values/hidden.js'
import { largeListOf } from './item-jobs.js'
import type { Plan, PlanStep } from './plan.js'
import { toTemplate } from '../model/values/to-template.js'
import { visitReferences } from './template.js'

/** Matches each secret of the option `secrets`, such as `input.card` or `steps.pay.output.token`. */
const secretText = /^(?:input|steps\.[^.]+\.output)(?:\.[^.]+)*$/u

const rule = 'must be input or steps.STEP.output, each with the names of the part behind it, as in input.card'

/** The parts of a plan that are about secrets. */
type Marked = Pick<Plan, 'steps' | 'output' | 'limits' | 'secrets'>

/** Reads the option `secrets` of a workflow. */
export function readSecrets(
  given: readonly string[],
  steps: readonly Pick<PlanStep, 'id'>[],
): { readonly paths: readonly SecretPath[]; readonly problems: readonly string[] } {
  const problems = given.flatMap((text) => {
    const named = `secrets: ${JSON.stringify(text)}`
    if (typeof text !== 'string' || !secretText.test(text)) return [`${named} ${rule}`]
    const [root, stepId] = text.split('.')
    const isKnown = root === 'input' || steps.some(({ id }) => id === stepId)
    return isKnown ? [] : [`${named} names step ${JSON.stringify(stepId)}, but there is no such step`]
  })
  return { paths: problems.length > 0 ? [] : given.map((text) => text.split('.')), problems }
}

/** Returns the paths of the values that a JSON Schema marks with `"secret": true`. */
export function secretsInSchema(schema: Json | undefined): readonly SecretPath[] {
  const found: SecretPath[] = []
  visitSchema(schema, { root: schema, at: [], within: new Set() }, (at) => found.push(at))
  return found
}

interface Place {
  readonly root: Json | undefined
  readonly at: SecretPath
  /** The schemas around this one, because a schema may refer to itself. */
  readonly within: ReadonlySet<unknown>
}

function visitSchema(schema: Json | undefined, place: Place, found: (at: SecretPath) => void): void {
  if (typeof schema !== 'object' || schema === null || place.within.has(schema)) return
  const { root, at } = place
  const parts = schema as Readonly<Record<string, Json>>
  if (parts['secret'] === true) {
    found(at)
    return
  }
  const within = new Set([...place.within, schema])
  const visit = (part: Json | undefined, ...names: string[]): void =>
    visitSchema(part, { root, at: [...at, ...names], within }, found)
  for (const [name, part] of Object.entries(parts['properties'] ?? {})) visit(part as Json, name)
  for (const keyword of ['items', 'prefixItems', 'additionalProperties']) {
    const part = parts[keyword]
    for (const each of Array.isArray(part) ? (part as readonly Json[]) : [part]) visit(each, '*')
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf'])
    for (const part of (parts[keyword] ?? []) as readonly Json[]) visit(part)
  const { $ref } = parts
  if (typeof $ref === 'string' && $ref.startsWith('#')) {
    const names = $ref.split('/').slice(1)
    visit(
      names.reduce<Json | undefined>(
        (value, name) => (value as Record<string, Json> | undefined)?.[name],
        root,
      ),
    )
  }
}

/**
 * Marks the secret parts in a plan: in the input and the result of the job, and in the input, the output and
 * the undo of each step to which a secret is passed on. The marks are stored with the documents, so that a
 * process without the workflow knows them.
 */
export function markSecrets(
  plan: Omit<Marked, 'secrets'>,
  given: readonly SecretPath[],
): { readonly marked: Marked; readonly problems: readonly string[] } {
  const sources = new Sources([...given, ...plan.steps.flatMap(ownSecrets)])
  for (const step of [...plan.steps].reverse()) if (step.kind === 'gather') sources.addGathered(step)
  const isShownBy = (limits: Plan['limits'] = []): boolean =>
    limits.some(({ key, fairBy = null }) => sources.within([key, fairBy]).length > 0)
  const problems = isShownBy(plan.limits) ? [shown('job.limits', 'a limit')] : []
  const steps = plan.steps.map((step) => {
    const input = sources.within(step.input)
    if (step.question !== undefined && input.length > 0)
      problems.push(shown(named(step), 'the title or the assignees'))
    if (isShownBy(step.limits)) problems.push(shown(named(step), 'a limit'))
    if (step.kind === 'gather') {
      const gathered = input.filter(([part]) => part !== 'list')
      sources.add(...gathered.map(([, ...at]) => ['steps', step.id, 'output', ...at]))
    }
    const items = markedItems(step, input)
    problems.push(...items.problems)
    const secrets = unique([
      ...(step.secrets ?? []),
      ...input.map((at) => ['input', ...at]),
      ...sources.ofStep(step.id),
      ...sources.within(step.undo?.input ?? null).map((at) => ['undo', ...at]),
    ])
    return secrets.length === 0 ? step : { ...items.step, secrets }
  })
  const secrets = unique([
    ...sources.ofInput(),
    ...sources.within(plan.output ?? null).map((at) => ['result', ...at]),
  ])
  const isPlain = secrets.length === 0 && steps.every((step) => step.secrets === undefined)
  return { marked: { ...plan, steps, ...(isPlain ? {} : { secrets }) }, problems }
}

/** Marks the secrets of a large list in the plan of its items, which are jobs of their own. */
function markedItems(
  step: PlanStep,
  input: readonly SecretPath[],
): { readonly step: PlanStep; readonly problems: readonly string[] } {
  const items = input.length === 0 ? null : largeListOf(step)
  if (items === null) return { step, problems: [] }
  const passed = input.flatMap((path) => {
    const rest = restOf(path, ['list', '*'])
    return rest === null ? [] : [['input', ...rest]]
  })
  if (passed.length === 0) return { step, problems: [] }
  const { plan } = items
  const own = (plan.secrets ?? []).filter(([part]) => part === 'input')
  const { marked, problems } = markSecrets(plan, [...own, ...passed])
  const given = step.input as Readonly<Record<string, Json>>
  return {
    step: { ...step, input: { ...given, plan: toTemplate({ ...plan, ...marked }, 'plan') } },
    problems: problems.map((problem) => `${named(step)}: its items: ${problem}`),
  }
}

function named({ id }: PlanStep): string {
  return `step ${JSON.stringify(id)}`
}

function shown(where: string, what: string): string {
  return `${where}: ${what} would show a secret to people: leave it out`
}

/** Returns the secret outputs that a step has as a part of another workflow, or by the form of its question. */
function ownSecrets({ id, secrets = [], question }: PlanStep): readonly SecretPath[] {
  return [
    ...secrets.filter(([part]) => part === 'output'),
    ...secretsInSchema(question?.form).map((at) => ['output', ...at]),
  ].map((path) => ['steps', id, ...path])
}

/** The secret values to which references may lead, as paths of references. */
class Sources {
  constructor(private readonly paths: SecretPath[]) {}

  add(...paths: readonly SecretPath[]): void {
    this.paths.push(...paths)
  }

  ofStep(id: string): readonly SecretPath[] {
    const isOurs = ([root, step, part]: SecretPath) => root === 'steps' && step === id && part === 'output'
    return this.paths.filter(isOurs).map((path) => path.slice(2))
  }

  ofInput(): readonly SecretPath[] {
    return this.paths.filter(([root]) => root === 'input')
  }

  /** Adds the secrets from which a gathering step makes a secret part of its output. */
  addGathered(step: PlanStep): void {
    const wanted = this.ofStep(step.id).map(([, ...rest]) => rest)
    visitReferences(step.input, (path, [part, ...at]) => {
      if (part === 'list') return
      for (const secret of wanted) {
        const rest = restOf(secret, at)
        if (rest !== null) this.add([...path, ...rest])
      }
    })
  }

  /** Returns the places in a value made by this template that are secret. */
  within(template: Json): readonly SecretPath[] {
    const found: SecretPath[] = []
    visitReferences(template, (path, at, isInText) => {
      for (const secret of this.paths) {
        const rest = restOf(secret, path)
        if (rest !== null) found.push(isInText ? at : [...at, ...rest])
      }
    })
    return unique(found)
  }
}

function unique(paths: readonly SecretPath[]): SecretPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()]
}
