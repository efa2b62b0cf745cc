/** Thrown if a file is damaged. The message says what is wrong, without the name of the file. */
export class Damage extends Error {
  override readonly name = 'Damage'
}

/** One of the two trees of a snapshot: the tree of records, or the tree of free pages. */
export interface Tree extends Readonly<Seen> {
  readonly flags: number
  readonly depth: number
  readonly root: number
}

export interface Meta {
  readonly pageSize: number
  readonly free: Tree
  readonly records: Tree
  readonly lastPage: number
  readonly transaction: number
}

export const headerBytes = 24

const nodeHeaderBytes = 8

export const metaBytes = headerBytes + 144

const magic = 0xbeefc0de

const dataVersion = 2

export const pageKind = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const

const overflowNode = 1

const noPage = 0xffff_ffff_ffff_ffffn

export interface Node {
  readonly key: Buffer
  readonly size: number
  readonly child: number
  readonly isLarge: boolean
  readonly data: Buffer
}

/** Returns the nodes of a page. Throws `Damage` if the nodes do not fill the end of the page without gaps. */
export function nodesOf(page: Buffer, number: number, kind: number): readonly Node[] {
  const lower = page.readUInt16LE(20)
  const upper = page.readUInt16LE(22)
  const room = page.length - headerBytes
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > room) {
    throw new Damage(`page ${number} has invalid bounds`)
  }
  let filled = upper
  const nodes = Array.from({ length: lower / 2 }, (_, index) => {
    const at = page.readUInt16LE(headerBytes + index * 2)
    if (at < upper || at + nodeHeaderBytes > room)
      throw new Damage(`page ${number} has a record outside itself`)
    const node = nodeAt(page, headerBytes + at, kind)
    const bytes = nodeHeaderBytes + node.key.length + node.data.length
    filled += bytes + (bytes % 2)
    return node
  })
  const isIntact = nodes.every(({ data, isLarge, size }) => data.length === (isLarge ? 24 : size))
  if (!isIntact || filled !== room) throw new Damage(`page ${number} has records of wrong lengths`)
  return nodes
}

function nodeAt(page: Buffer, at: number, kind: number): Node {
  const low = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 0x10000
  const flags = page.readUInt16LE(at + 4)
  const start = at + nodeHeaderBytes
  const end = start + page.readUInt16LE(at + 6)
  const key = page.subarray(start, end)
  if (kind === pageKind.branch) {
    return { key, size: 0, child: low + flags * 2 ** 32, isLarge: false, data: page.subarray(end, end) }
  }
  if (flags > overflowNode) throw new Damage('a record is of an unknown kind')
  const isLarge = flags === overflowNode
  return { key, size: low, child: 0, isLarge, data: page.subarray(end, end + (isLarge ? 24 : low)) }
}

/**
 * Checks the order of keys. The first key of a branch page is ignored, because the first subtree has all keys
 * below the second key.
 */
export function assertOrder(
  nodes: readonly Node[],
  number: number,
  { walk, bounds, kind }: { readonly walk: Walk; readonly bounds: Bounds; readonly kind: number },
): void {
  const keys = (kind === pageKind.branch ? nodes.slice(1) : nodes).map(({ key }) => key)
  const [first] = keys
  const last = keys.at(-1)
  const isOrdered =
    keys.every((key, index) => index === 0 || walk.order(keys[index - 1] ?? key, key) < 0) &&
    (first === undefined || bounds.low === undefined || walk.order(bounds.low, first) <= 0) &&
    (last === undefined || bounds.high === undefined || walk.order(last, bounds.high) < 0)
  if (!isOrdered) throw new Damage(`page ${number} has records out of order`)
}

export function byBytes(one: Buffer, other: Buffer): number {
  return one.compare(other)
}

export function byNumber(one: Buffer, other: Buffer): number {
  if (one.length !== 8 || other.length !== 8)
    throw new Damage('the key of a list of free pages is not a number')
  const [left, right] = [one.readBigUInt64LE(0), other.readBigUInt64LE(0)]
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Returns the newest meta page. Transaction N writes page N % 2. So the transactions of the two pages differ
 * by one, except in a file that was never written to.
 */
export function newest(pages: Buffer): Meta {
  const [even, odd] = [metaAt(pages, 0), metaAt(pages, 1)]
  const difference = odd.transaction - even.transaction
  const isPair = even.transaction % 2 === 0 && Math.abs(difference) === 1
  if (!isPair && (even.transaction !== 0 || odd.transaction !== 0)) {
    throw new Damage('its two meta pages belong to transactions that are not consecutive')
  }
  return difference > 0 ? odd : even
}

function metaAt(pages: Buffer, number: number): Meta {
  const page = pages.subarray(number * metaBytes, (number + 1) * metaBytes)
  const at = headerBytes
  const isMeta =
    page.readBigUInt64LE(0) === BigInt(number) &&
    page.readUInt16LE(18) === pageKind.meta &&
    page.readUInt32LE(at) === magic &&
    page.readUInt32LE(at + 4) === dataVersion
  const meta: Meta = {
    pageSize: page.readUInt32LE(at + 24),
    free: treeAt(page, at + 24),
    records: treeAt(page, at + 72),
    lastPage: safe(page.readBigUInt64LE(at + 120), 'the last page'),
    transaction: safe(page.readBigUInt64LE(at + 128), 'a transaction'),
  }
  const isKnown = meta.free.flags === treeFlags.free && meta.records.flags === treeFlags.records
  const isSized = meta.pageSize === pages.readUInt32LE(at + 24) && meta.lastPage > 0
  if (!isMeta || !isKnown || !isSized) throw new Damage(`page ${number} is not a meta page`)
  return meta
}

function treeAt(page: Buffer, at: number): Tree {
  const root = page.readBigUInt64LE(at + 40)
  return {
    flags: page.readUInt16LE(at + 4),
    depth: page.readUInt16LE(at + 6),
    branchPages: safe(page.readBigUInt64LE(at + 8), 'a number of pages'),
    leafPages: safe(page.readBigUInt64LE(at + 16), 'a number of pages'),
    overflowPages: safe(page.readBigUInt64LE(at + 24), 'a number of pages'),
    entries: safe(page.readBigUInt64LE(at + 32), 'a number of records'),
    root: root === noPage ? -1 : safe(root, 'the root of a tree'),
  }
}

export function safe(value: bigint, what: string): number {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value)
  throw new Damage(`it has an impossible number for ${what}`)
}

/** The flags of the two trees. The keys in the tree of free pages are whole numbers. */
const treeFlags = { free: 8, records: 0 } as const

/** The numbers that a tree records about itself, and that a walk through the tree counts. */
export const names = ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const

/** Those of the numbers that a walk counts without reading records. */
export const pageNames = ['branchPages', 'leafPages'] as const

export type Seen = Record<(typeof names)[number], number>

/** Receives one record. */
export type Visit = (key: Buffer, value: Buffer) => void

export interface Walk {
  readonly seen: Seen
  readonly order: (one: Buffer, other: Buffer) => number
  /** Null if the pages with records are not read. */
  readonly visit: Visit | null
}

/** Each key in the subtree is at least `low` and less than `high`. */
export interface Bounds {
  readonly low?: Buffer | undefined
  readonly high?: Buffer | undefined
}
