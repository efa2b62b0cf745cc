import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** What is wrong with a file, without its name. */
export class Damage extends Error {
  override readonly name = 'Damage'
}

/** A record as it is in the file. */
export interface StoredRecord {
  readonly key: Buffer
  readonly value: Buffer
}

/** One of the two trees of a snapshot: its records, or its free pages. */
interface Tree {
  readonly flags: number
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  readonly root: number
}

interface Meta {
  readonly pageSize: number
  readonly free: Tree
  readonly records: Tree
  readonly lastPage: number
  readonly transaction: number
}

const headerBytes = 24
const nodeHeaderBytes = 8
const metaBytes = headerBytes + 144
const magic = 0xbeefc0de
const dataVersion = 2

const pageKind = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const
const overflowNode = 1
const noPage = 0xffff_ffff_ffff_ffffn

/** The flags of the tree of free pages, whose keys are whole numbers, and of the tree of records. */
const treeFlags = { free: 8, records: 0 } as const

/** How far free pages that were never written may lie beyond the end of the file. */
const mostGrowth = 16
const leastGrowthBytes = 2 ** 30

/** Deeper than any tree of 2^48 pages. */
const deepestTree = 20

/**
 * Reads a file of LMDB (data format 2, 64 bits, little-endian) without LMDB. LMDB maps the file into memory and trusts it,
 * so a missing or altered page ends the process. This class first checks everything that LMDB follows: the meta pages,
 * each page of both trees with its place, kind, bounds and order of keys, and that no page has two uses.
 */
export class LmdbFile {
  private readonly descriptor: number
  private readonly bytes: number
  private readonly metaPages: Buffer
  private readonly meta: Meta
  /** Pages whose use is known, one bit each. */
  private readonly used: Uint8Array

  constructor(path: string) {
    this.descriptor = openSync(path, 'r')
    try {
      this.bytes = fstatSync(this.descriptor).size
      this.metaPages = this.readMetas()
      this.meta = newest(this.metaPages)
      if (this.meta.lastPage * this.meta.pageSize > this.bytes * mostGrowth + leastGrowthBytes) {
        throw new Damage('it names pages far beyond its end')
      }
      this.used = new Uint8Array(this.meta.lastPage / 8 + 1)
    } catch (error) {
      closeSync(this.descriptor)
      throw error
    }
  }

  /** Whether another process wrote to the file since it was opened. */
  get hasChanged(): boolean {
    try {
      return !this.readMetas().equals(this.metaPages)
    } catch (error) {
      if (error instanceof Damage) return true
      throw error
    }
  }

  close(): void {
    closeSync(this.descriptor)
  }

  /** Every record, in the order of keys. If it throws `Damage`, the records before that cannot be trusted either. */
  *records(): Generator<StoredRecord, void, undefined> {
    this.take(0, 2, 'meta pages')
    yield* this.walked(this.meta.records)
    for (const { key, value } of this.walked(this.meta.free)) this.takeFree(key, value)
  }

  private *walked(tree: Tree): Generator<StoredRecord, void, undefined> {
    const seen: Seen = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    const order = tree === this.meta.free ? byNumber : byBytes
    if (tree.depth > deepestTree) throw new Damage('its tree is impossibly deep')
    if (tree.depth > 0) yield* this.subtree({ tree, seen, order }, tree.root, tree.depth, {})
    const isComplete = names.every((name) => seen[name] === tree[name])
    if (!isComplete || (tree.depth === 0 && tree.root !== -1)) {
      throw new Damage(`its tree has ${seen.entries} records instead of ${tree.entries}`)
    }
  }

  private *subtree(
    walk: Walk,
    number: number,
    depth: number,
    bounds: Bounds,
  ): Generator<StoredRecord, void, undefined> {
    const kind = depth === 1 ? pageKind.leaf : pageKind.branch
    const page = this.page(number, kind)
    this.take(number, 1, 'a page of a tree')
    walk.seen[kind === pageKind.leaf ? 'leafPages' : 'branchPages'] += 1
    const nodes = nodesOf(page, number, kind)
    assertOrder(nodes, number, { walk, bounds, kind })
    for (const [index, node] of nodes.entries()) {
      if (kind === pageKind.leaf) {
        walk.seen.entries += 1
        yield { key: node.key, value: this.valueOf(node, walk) }
        continue
      }
      const below: Bounds = {
        low: index === 0 ? bounds.low : node.key,
        high: nodes[index + 1]?.key ?? bounds.high,
      }
      yield* this.subtree(walk, node.child, depth - 1, below)
    }
  }

  private valueOf(node: Node, walk: Walk): Buffer {
    if (!node.isLarge) return node.data
    const number = safe(node.data.readBigUInt64LE(0), 'an overflow page')
    const pages = safe(node.data.readBigUInt64LE(16), 'the length of a value')
    const { pageSize } = this.meta
    if (pages !== Math.floor((headerBytes - 1 + node.size) / pageSize) + 1) {
      throw new Damage(`page ${number} has a different length than its record says`)
    }
    this.take(number, pages, 'a long value')
    walk.seen.overflowPages += pages
    const first = this.page(number, pageKind.overflow, pages)
    if (first.readUInt32LE(20) !== pages) throw new Damage(`page ${number} has the wrong length`)
    return first.subarray(headerBytes, headerBytes + node.size)
  }

  /** A list of free pages: its length, then numbers of pages; a negative one is the length of the run that follows it. */
  private takeFree(key: Buffer, value: Buffer): void {
    const isList = key.length === 8 && value.length % 8 === 0 && value.length > 0
    const length = isList ? safe(value.readBigUInt64LE(0), 'a list of free pages') : Infinity
    if ((length + 1) * 8 > value.length) throw new Damage('a list of free pages is cut short')
    if (safe(key.readBigUInt64LE(0), 'a transaction') > this.meta.transaction) {
      throw new Damage('a list of free pages belongs to a transaction that does not exist')
    }
    let run = 1
    for (let at = 1; at <= length; at += 1) {
      const entry = Number(value.readBigInt64LE(at * 8))
      if (entry > 0) this.take(entry, run, 'free pages')
      run = entry < 0 ? -entry : 1
    }
  }

  private page(number: number, kind: number, pages = 1): Buffer {
    const { pageSize, transaction } = this.meta
    const page = this.read(number * pageSize, pages * pageSize)
    if (safe(page.readBigUInt64LE(0), 'a page') !== number || page.readUInt16LE(18) !== kind) {
      throw new Damage(`page ${number} is not the page that it should be`)
    }
    if (safe(page.readBigUInt64LE(8), 'a transaction') > transaction) {
      throw new Damage(`page ${number} belongs to a transaction that does not exist`)
    }
    return page
  }

  /** Marks pages as used. A page that is used twice is damage. */
  private take(first: number, count: number, use: string): void {
    const end = first + count
    if (!Number.isSafeInteger(end) || end > this.meta.lastPage + 1) {
      throw new Damage(`page ${first} (${use}) lies beyond the last one`)
    }
    for (let number = first; number < end; number += 1) {
      const bit = 1 << (number & 7)
      const byte = this.used[number >> 3] ?? 0
      if ((byte & bit) !== 0) throw new Damage(`page ${number} has two uses`)
      this.used[number >> 3] = byte | bit
    }
  }

  private readMetas(): Buffer {
    const first = this.read(0, metaBytes)
    const pageSize = first.readUInt32LE(headerBytes + 24)
    if (![4096, 8192, 16_384, 32_768, 65_536].includes(pageSize))
      throw new Damage('its first page is not a meta page')
    return Buffer.concat([first, this.read(pageSize, metaBytes)])
  }

  private read(position: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length)
    if (readSync(this.descriptor, buffer, 0, length, position) === length) return buffer
    throw new Damage(`it is cut short: ${length} bytes at ${position} are missing`)
  }
}

interface Seen {
  branchPages: number
  leafPages: number
  overflowPages: number
  entries: number
}

const names = ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const

interface Walk {
  readonly tree: Tree
  readonly seen: Seen
  readonly order: (one: Buffer, other: Buffer) => number
}

/** Keys of a subtree are not below `low`, and below `high`. */
interface Bounds {
  readonly low?: Buffer | undefined
  readonly high?: Buffer | undefined
}

interface Node {
  readonly key: Buffer
  readonly size: number
  readonly child: number
  readonly isLarge: boolean
  readonly data: Buffer
}

/** The nodes of a page, which fill it from its end without gaps. */
function nodesOf(page: Buffer, number: number, kind: number): readonly Node[] {
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

/** Checks the order of keys. The first key of a branch page is not compared: its subtree holds all below the second. */
function assertOrder(
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

function byBytes(one: Buffer, other: Buffer): number {
  return one.compare(other)
}

function byNumber(one: Buffer, other: Buffer): number {
  if (one.length !== 8 || other.length !== 8) throw new Damage('a list of free pages has no number')
  const [left, right] = [one.readBigUInt64LE(0), other.readBigUInt64LE(0)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The newest meta page. Transaction N writes page N % 2, so they differ by one, except in a file never written to. */
function newest(pages: Buffer): Meta {
  const [even, odd] = [metaAt(pages, 0), metaAt(pages, 1)]
  const difference = odd.transaction - even.transaction
  const isPair = even.transaction % 2 === 0 && Math.abs(difference) === 1
  if (!isPair && (even.transaction !== 0 || odd.transaction !== 0)) {
    throw new Damage('its two meta pages are of transactions that are not consecutive')
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

function safe(value: bigint, what: string): number {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value)
  throw new Damage(`${what} has an impossible number`)
}
