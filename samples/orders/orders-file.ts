import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** A string with at least one visible character. */
const text = z.string().regex(/\S/, 'must not be empty')

const line = z.looseObject({
  productId: z.number().int(),
  product: text,
  unitPrice: z.number().nonnegative(),
  quantity: z.number().int().positive(),
  /** The discount as a share of the price. For example, 0.25 is a quarter. */
  discount: z.number().min(0).max(1),
})

const address = z.looseObject({
  name: text,
  street: text,
  city: text,
  region: z.string().optional(),
  // The postal code may be empty, because not every country has postal codes.
  postalCode: z.string(),
  country: text,
})

/** An order from the shop. Fields that the schema does not name are kept. */
const orderSchema = z.looseObject({
  orderId: text,
  customerId: z.string().optional(),
  lines: z.array(line).min(1, 'must have at least one line'),
  freight: z.number().nonnegative().optional(),
  /** The amount that the customer pays, including freight. */
  total: z.number().nonnegative(),
  shipTo: address,
})

export type Order = z.infer<typeof orderSchema>

export interface OrdersFileProblem {
  /** The number of the line as editors show it: counted from 1, including blank lines. */
  readonly line: number
  readonly message: string
}

/** Thrown if an orders file cannot be used. The error lists all problems in the file. */
export class OrdersFileError extends Error {
  override readonly name = 'OrdersFileError'

  constructor(
    readonly path: string,
    readonly problems: readonly OrdersFileProblem[],
  ) {
    const list = problems.map(({ line, message }) => `  line ${line}: ${message}`)
    super([`no order was read from ${path}; correct these lines and read it again:`, ...list].join('\n'))
  }
}

/** Thrown if an orders file is missing or cannot be read. */
export class OrdersFileUnreadable extends Error {
  override readonly name = 'OrdersFileUnreadable'
}

/**
 * Reads orders from a JSON Lines file in UTF-8. Allows a byte order mark, CRLF and blank lines. An order that
 * occurs twice with the same content counts once.
 *
 * @throws OrdersFileUnreadable if the file cannot be read
 * @throws OrdersFileError if any line of the file has a problem
 */
export async function readOrders(path: string): Promise<Order[]> {
  const { orders, problems } = parseOrders(await readText(path))
  if (problems.length > 0) throw new OrdersFileError(path, problems)
  return orders
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OrdersFileUnreadable(`file ${path} could not be read: ${why}`, { cause: error })
  }
}

/** Returns the orders in the text of an orders file, and all problems in the text. */
export function parseOrders(content: string): { orders: Order[]; problems: OrdersFileProblem[] } {
  const found = new Map<string, { order: Order; line: number }>()
  const problems: OrdersFileProblem[] = []
  const lines = content.replace(/^\uFEFF/, '').split('\n')
  lines.forEach((lineText, index) => {
    if (lineText.trim() === '') return
    const line = index + 1
    const read = parseOrder(lineText)
    if ('problems' in read) {
      problems.push(...read.problems.map((message) => ({ line, message })))
      return
    }
    const { order } = read
    const first = found.get(order.orderId)
    if (first === undefined) found.set(order.orderId, { order, line })
    else if (!isDeepStrictEqual(first.order, order)) {
      const message =
        `orderId '${order.orderId}' is on line ${first.line} with different content; ` +
        'give each order an id of its own'
      problems.push({ line, message })
    }
  })
  return { orders: [...found.values()].map(({ order }) => order), problems }
}

type ReadOrder = { readonly order: Order } | { readonly problems: readonly string[] }

function parseOrder(lineText: string): ReadOrder {
  // The decoder inserts this character in place of invalid UTF-8, so a line that contains the character is
  // damaged.
  if (lineText.includes('\uFFFD')) return { problems: ['is not UTF-8; save the file with this encoding'] }
  let value: unknown
  try {
    value = JSON.parse(lineText)
  } catch (error) {
    return { problems: [`is not JSON: ${String(error)}`] }
  }
  return checkOrder(value)
}

function checkOrder(value: unknown): ReadOrder {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: [`must be a JSON object, got ${shorten(value)}`] }
  }
  const read = orderSchema.safeParse(value, { reportInput: true })
  return read.success ? { order: read.data } : { problems: read.error.issues.map(describe) }
}

/** Returns the value as an order. Throws an Error that lists all problems of the value. */
export function toOrder(value: unknown): Order {
  const read = checkOrder(value)
  if ('problems' in read) throw new Error(read.problems.join(', '))
  return read.order
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.join('.')
  if (issue.input === undefined) return `${where} is missing`
  return `${where}: ${issue.message}, got ${shorten(issue.input)}`
}

const longestQuotation = 60

function shorten(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > longestQuotation ? `${json.slice(0, longestQuotation)}…` : json
}
