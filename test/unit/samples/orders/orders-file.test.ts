import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  OrdersFileError,
  parseOrders,
  readOrders,
  type Order,
} from '../../../../samples/orders/orders-file.js'

const anOrder = (changes: Record<string, unknown> = {}) => ({
  orderId: 'A-1',
  lines: [aLine()],
  total: 20,
  shipTo: {
    name: 'Ελένη',
    street: 'Οδός Θησέως 7',
    city: 'Καλαμάτα',
    postalCode: '241 00',
    country: 'Greece',
  },
  ...changes,
})
const aLine = (changes: Record<string, unknown> = {}) => ({
  productId: 1,
  product: '茶',
  unitPrice: 10,
  quantity: 2,
  discount: 0,
  ...changes,
})
const linesOf = (...orders: unknown[]): string => orders.map((order) => JSON.stringify(order)).join('\n')
const problemsOf = (content: string) => parseOrders(content).problems

describe('parseOrders', () => {
  it('keeps unknown fields on every level', () => {
    const order = anOrder({
      gift: true,
      lines: [aLine({ colour: 'red' })],
      shipTo: { ...anOrder().shipTo, floor: 3 },
    })
    expect(parseOrders(linesOf(order))).toEqual({ orders: [order], problems: [] })
  })

  it('reads the same orders with any line ends, byte order mark and blank lines', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => /\S/.test(text) && !text.includes('\uFFFD'))
    const orders = fc
      .uniqueArray(name, { maxLength: 8 })
      .map((ids) => ids.map((orderId) => anOrder({ orderId }) as Order))
    const gap = fc.constantFrom('\n', '\r\n', '\n\n', '\r\n  \r\n', '\n\t\n')
    fc.assert(
      fc.property(orders, gap, fc.constantFrom('', '\uFEFF'), (written, separator, mark) => {
        const content = mark + written.map((order) => JSON.stringify(order) + separator).join('')
        expect(parseOrders(content)).toEqual({ orders: written, problems: [] })
      }),
    )
  })

  it.each([
    ['malformed JSON', '{"orderId": "A-1",', /^is not JSON: SyntaxError/],
    ['an array', '[1]', 'must be a JSON object, got [1]'],
    ['null', 'null', 'must be a JSON object, got null'],
    ['a text', '"A-1"', 'must be a JSON object, got "A-1"'],
    ['no orderId', linesOf(anOrder({ orderId: undefined })), 'orderId is missing'],
    ['a blank orderId', linesOf(anOrder({ orderId: ' ' })), 'orderId: must not be empty, got " "'],
    ['empty lines', linesOf(anOrder({ lines: [] })), 'lines: must have at least one line, got []'],
    [
      'a quantity of 0',
      linesOf(anOrder({ lines: [aLine({ quantity: 0 })] })),
      /^lines\.0\.quantity: .*, got 0$/,
    ],
    [
      'half a unit',
      linesOf(anOrder({ lines: [aLine({ quantity: 0.5 })] })),
      /^lines\.0\.quantity: .*, got 0\.5$/,
    ],
    ['a negative total', linesOf(anOrder({ total: -1 })), /^total: .*, got -1$/],
    ['no total', linesOf(anOrder({ total: undefined })), 'total is missing'],
    ['a total in words', linesOf(anOrder({ total: 'x'.repeat(99) })), /^total: .*, got "x{59}…$/],
    ['damaged text', linesOf(anOrder({ orderId: 'A\uFFFD' })), /^is not UTF-8/],
  ])('finds %s', (_, content, message) => {
    const { orders, problems } = parseOrders(content)
    expect(orders).toEqual([])
    expect(problems).toHaveLength(1)
    expect(problems[0]?.line).toBe(1)
    if (typeof message === 'string') expect(problems[0]?.message).toBe(message)
    else expect(problems[0]?.message).toMatch(message)
  })

  it('lists all problems, with the line numbers of an editor', () => {
    const content = ['', linesOf(anOrder()), '{', '', linesOf(anOrder({ total: -1, lines: [] })), '7'].join(
      '\r\n',
    )
    expect(problemsOf(content).map(({ line }) => line)).toEqual([3, 5, 5, 6])
  })

  it('treats a repeated order as one, in any order of its fields', () => {
    const { orderId, ...rest } = anOrder()
    const { orders, problems } = parseOrders(linesOf(anOrder(), { ...rest, orderId }))
    expect(problems).toEqual([])
    expect(orders).toHaveLength(1)
  })

  it('rejects another order with the same id', () => {
    const content = linesOf(anOrder(), anOrder({ orderId: 'A-2' }), anOrder({ total: 21 }))
    expect(problemsOf(content)).toEqual([
      {
        line: 3,
        message: "orderId 'A-1' is on line 1 with different content; give each order an id of its own",
      },
    ])
  })
})

describe('readOrders', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'orders-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  async function given(content: string | Uint8Array): Promise<string> {
    const path = join(directory, 'orders.jsonl')
    await writeFile(path, content)
    return path
  }

  it('reads a file', async () => {
    expect(await readOrders(await given(`\uFEFF${linesOf(anOrder())}\r\n`))).toEqual([anOrder()])
  })

  it('reads no order from an empty file', async () => {
    expect(await readOrders(await given(''))).toEqual([])
  })

  it('throws one error with the path and every problem', async () => {
    const path = await given(linesOf(anOrder(), 1, 2))
    const error = await readOrders(path).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OrdersFileError)
    expect(error).toMatchObject({ path, problems: [{ line: 2 }, { line: 3 }] })
    expect(String(error)).toContain(path)
    expect(String(error)).toContain('\n  line 2: must be a JSON object, got 1\n  line 3: ')
  })

  it('rejects a file in another encoding', async () => {
    const latin1 = Buffer.from(linesOf(anOrder({ orderId: 'Größe' })), 'latin1')
    await expect(readOrders(await given(latin1))).rejects.toThrow('line 1: is not UTF-8')
  })

  it('names a file that does not exist', async () => {
    const path = join(tmpdir(), 'nowhere', 'orders.jsonl')
    await expect(readOrders(path)).rejects.toThrow(`file ${path} could not be read: ENOENT`)
  })
})
