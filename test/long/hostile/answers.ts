/** One HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const endOfHeaders = '\r\n\r\n'

/**
 * Reads all answers on a connection.
 *
 * @param isHead whether the answer may lack its body because the request was a HEAD
 * @throws Error if the bytes are not whole HTTP answers
 */
export function answersIn(bytes: Buffer, isHead: boolean): readonly HttpAnswer[] {
  const answers: HttpAnswer[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(endOfHeaders, at)
    if (end < 0) throw new Error('the headers of an answer do not end')
    const { status, headers } = headOf(bytes.subarray(at, end).toString('latin1'))
    const from = end + endOfHeaders.length
    const isBodiless = status < 200 || status === 204 || status === 304
    const announced = isBodiless ? 0 : Number(headers['content-length'] ?? bytes.length - from)
    // If the request cannot be read, the server does not know that it is a HEAD, and sends a body.
    const length = isHead ? Math.min(announced, bytes.length - from) : announced
    if (from + length > bytes.length) throw new Error('the body of an answer is shorter than its length')
    at = from + length
    if (status >= 200) answers.push({ status, headers, body: bytes.subarray(from, at).toString('utf8') })
  }
  return answers
}

function headOf(text: string): Pick<HttpAnswer, 'status' | 'headers'> {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /u.exec(first)?.[1]
  if (status === undefined) throw new Error(`an answer begins with ${JSON.stringify(first.slice(0, 80))}`)
  const headers = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const
  })
  return { status: Number(status), headers: Object.fromEntries(headers) }
}

/** Matches a line of a stack trace. */
const stackLine = /\bat [^\n]{0,200}(?:file:\/\/|node:|\.js:)\S*:\d+/u

/** Returns what is wrong with an answer, whatever the request was; null if nothing is. */
export function problemOf({ status, headers, body }: HttpAnswer): string | null {
  if (status < 200 || status > 599) return `the status ${status} does not exist`
  if (status >= 500 && status !== 501) return `the status is ${status}: ${body.slice(0, 2_000)}`
  if (stackLine.test(body)) return `the body has a stack trace: ${body.slice(0, 2_000)}`
  if (body.includes('root:x:0')) return 'the body has a file of the machine'
  if (headers['content-type'] !== 'application/json' || body === '') return null
  return status < 400 ? (isJson(body) ? null : 'the body is not JSON') : errorProblem(body)
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

/** Batches of operations have an array as their body, also if they fail. */
function errorProblem(body: string): string | null {
  if (!isJson(body)) return 'the body of the error is not JSON'
  const error = JSON.parse(body) as { code?: unknown; message?: unknown }
  const isError = typeof error.code === 'string' && typeof error.message === 'string'
  return isError || Array.isArray(error) ? null : `the error has no code or message: ${body.slice(0, 500)}`
}
