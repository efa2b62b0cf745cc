import type { Json } from '../model/documents.js'
import { secretsInSchema } from '../plan/schema-secrets.js'
import { markSecrets, readSecrets } from '../plan/secrets.js'
import type { Compiled } from './plan-draft.js'

/** Marks the secrets in a workflow: those of its option `secrets`, and those in the schema of its input. */
export function withSecrets(
  { plan, drafted, problems }: Compiled,
  given: readonly string[],
  inputSchema: Json,
): Compiled {
  const read = readSecrets(given, plan.steps)
  const inSchema = secretsInSchema(inputSchema).map((at) => ['input', ...at])
  const { marked, problems: shown } = markSecrets(plan, [...read.paths, ...inSchema])
  const byId = new Map(marked.steps.map((step) => [step.id, step]))
  return {
    plan: { ...plan, ...marked },
    drafted: {
      ...drafted,
      steps: drafted.steps.map(({ step, ...rest }) => {
        const { secrets } = byId.get(step.id) ?? step
        return { ...rest, step: secrets === undefined ? step : { ...step, secrets } }
      }),
    },
    problems: [...problems, ...read.problems, ...shown],
  }
}
