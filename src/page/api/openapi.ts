import { z } from 'zod'
import type { Route } from './route.js'
import { routes } from './routes.js'

/** The path of the stream of changes. */
export const changesPath = '/api/changes'
/** The path of the description of the API. */
export const openApiPath = '/api/openapi.json'

const failure = z.strictObject({ error: z.strictObject({ name: z.string(), message: z.string() }) })

/** Returns the description of the API in OpenAPI 3.1. */
export function openApi(version: string): unknown {
  const paths = Object.fromEntries(
    routes.map((route) => [route.path, { [route.method.toLowerCase()]: operationOf(route) }]),
  )
  return {
    openapi: '3.1.0',
    info: { title: 'Stepward page', version, description: 'What an operator sees and does.' },
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'stepward-page-PORT' } },
      responses: { problem: { description: 'The request failed.', content: contentOf(failure) } },
    },
    security: [{ session: [] }],
    paths: { ...paths, [changesPath]: { get: streamOperation }, [openApiPath]: { get: selfOperation } },
  }
}

const problems = Object.fromEntries(
  ['400', '401', '403', '404', '409', '503'].map((status) => [
    status,
    { $ref: '#/components/responses/problem' },
  ]),
)

const streamOperation = {
  summary:
    'The changes of jobs and steps as server-sent events: "ready" when no later change is lost, "changes", ' +
    'and "trouble" with a message, or null when the store answers again.',
  responses: { 200: { description: 'The stream.', content: { 'text/event-stream': {} } }, ...problems },
}

const selfOperation = {
  summary: 'This description.',
  responses: { 200: { description: 'OpenAPI 3.1.', content: { 'application/json': {} } }, ...problems },
}

function operationOf({ method, summary, asked, answer }: Route): unknown {
  const responses = { 200: { description: 'The answer.', content: contentOf(answer) }, ...problems }
  if (method === 'POST') {
    return { summary, requestBody: { required: true, content: contentOf(asked, 'input') }, responses }
  }
  const { properties = {}, required = [] } = schemaOf(asked, 'input')
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  return { summary, parameters, responses }
}

function contentOf(schema: z.ZodType, side: 'input' | 'output' = 'output'): unknown {
  return { 'application/json': { schema: schemaOf(schema, side) } }
}

function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
): { readonly properties?: Readonly<Record<string, unknown>>; readonly required?: readonly string[] } {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
