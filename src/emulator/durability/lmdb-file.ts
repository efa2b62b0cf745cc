import { closeSync, fstatSync, openSync } from 'node:fs'
import {
  Damage,
  type Bounds,
  type Meta,
  type Node,
  type Seen,
  type Tree,
  type Visit,
  type Walk,
  assertOrder,
  byBytes,
  byNumber,
  headerBytes,
  metaBytes,
  names,
  newest,
  pageNames,
  nodesOf,
  pageKind,
  safe,
} from './lmdb-pages.js'
import { ReadAhead } from './read-ahead.js'

/**
 * All pages together may be this many times as large as the file, plus `leastGrowthBytes`, because free pages
 * that were never written may lie beyond the end of the file.
 */
const mostGrowth = 16

const leastGrowthBytes = 2 ** 30

/** A depth that no tree of 2^48 pages reaches. */
const deepestTree = 20

/**
 * Reads a file of LMDB (data format 2, 64 bits, little-endian) without LMDB. LMDB maps the file into memory
 * and trusts its contents, so a missing or altered page would end the process. This class therefore first
 * checks everything that LMDB follows: the meta pages, and, for each page in both trees, its place, its kind,
 * its bounds and the order of its keys. It also checks that no page has two uses.
 */
export class LmdbFile {
  private readonly descriptor: number
  private readonly readAhead: ReadAhead
  private readonly bytes: number
  private readonly metaPages: Buffer
  private readonly meta: Meta
  /** The pages whose use is known, with one bit for each page. */
  private readonly used: Uint8Array

  constructor(path: string) {
    this.descriptor = openSync(path, 'r')
    this.readAhead = new ReadAhead(this.descriptor)
    try {
      this.bytes = fstatSync(this.descriptor).size
      this.metaPages = this.readMetas()
      this.meta = newest(this.metaPages)
      if (this.meta.lastPage * this.meta.pageSize > this.bytes * mostGrowth + leastGrowthBytes) {
        throw new Damage('it refers to pages far beyond its end')
      }
      this.used = new Uint8Array(this.meta.lastPage / 8 + 1)
    } catch (error) {
      closeSync(this.descriptor)
      throw error
    }
  }

  /** Whether another process has written to the file since this object opened it. */
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

  /**
   * Calls `visit` with every record in the order of keys. If this method throws `Damage`, no record can be
   * trusted. The method does not yield records, because a generator for each level of the tree would be slow.
   */
  forEachRecord(visit: Visit): void {
    this.take(0, 2, 'meta pages')
    this.walkTree(this.meta.records, visit)
    this.walkTree(this.meta.free, (key, value) => {
      this.takeFree(key, value)
    })
  }

  /**
   * Checks the structure without the records: the pages above them, the list of free pages, and that each page
   * of records lies in the file. Takes a hundredth of the time, because it reads a hundredth of the file.
   */
  checkStructure(): void {
    this.take(0, 2, 'meta pages')
    this.walkTree(this.meta.records, null)
    this.walkTree(this.meta.free, (key, value) => {
      this.takeFree(key, value)
    })
  }

  /** Returns the value of a key, or undefined if there is none. */
  valueAt(name: string): Buffer | undefined {
    const { records } = this.meta
    const key = Buffer.from(name)
    let { root: number, depth } = records
    if (depth > deepestTree) throw new Damage('its tree is impossibly deep')
    for (; depth > 1; depth -= 1) {
      const nodes = nodesOf(this.page(number, pageKind.branch), number, pageKind.branch)
      const last = nodes.findLastIndex((node, index) => index === 0 || byBytes(node.key, key) <= 0)
      number = nodes[last]?.child ?? number
    }
    if (depth === 0) return undefined
    const nodes = nodesOf(this.page(number, pageKind.leaf), number, pageKind.leaf)
    return nodes.find((node) => node.key.equals(key))?.data
  }

  /** @param visit null if the pages with records are not read */
  private walkTree(tree: Tree, visit: Visit | null): void {
    const seen: Seen = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    const order = tree === this.meta.free ? byNumber : byBytes
    if (tree.depth > deepestTree) throw new Damage('its tree is impossibly deep')
    if (tree.depth > 0) this.walkSubtree({ seen, order, visit }, tree.root, tree.depth, {})
    const isComplete = (visit === null ? pageNames : names).every((name) => seen[name] === tree[name])
    if (!isComplete || (tree.depth === 0 && tree.root !== -1)) {
      throw new Damage(`its tree has ${seen.entries} records instead of ${tree.entries}`)
    }
  }

  private walkSubtree(walk: Walk, number: number, depth: number, bounds: Bounds): void {
    const kind = depth === 1 ? pageKind.leaf : pageKind.branch
    this.take(number, 1, 'a page of a tree')
    if (kind === pageKind.leaf && walk.visit === null) {
      walk.seen.leafPages += 1
      if ((number + 1) * this.meta.pageSize > this.bytes)
        throw new Damage(`it is cut short: page ${number} is missing`)
      return
    }
    const page = this.page(number, kind)
    walk.seen[kind === pageKind.leaf ? 'leafPages' : 'branchPages'] += 1
    const nodes = nodesOf(page, number, kind)
    assertOrder(nodes, number, { walk, bounds, kind })
    for (const [index, node] of nodes.entries()) {
      if (kind === pageKind.leaf) {
        walk.seen.entries += 1
        walk.visit?.(node.key, this.valueOf(node, walk))
        continue
      }
      const below: Bounds = {
        low: index === 0 ? bounds.low : node.key,
        high: nodes[index + 1]?.key ?? bounds.high,
      }
      this.walkSubtree(walk, node.child, depth - 1, below)
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

  /**
   * Marks the pages in a list of free pages as used. The list begins with its length. Page numbers follow. A
   * negative number is the length of a run of pages, and the next number is the first page of this run.
   */
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
    const page = bytesOf(this.readAhead, number * pageSize, pages * pageSize)
    if (safe(page.readBigUInt64LE(0), 'a page') !== number || page.readUInt16LE(18) !== kind) {
      throw new Damage(`page ${number} is not the page that it should be`)
    }
    if (safe(page.readBigUInt64LE(8), 'a transaction') > transaction) {
      throw new Damage(`page ${number} belongs to a transaction that does not exist`)
    }
    return page
  }

  /** Marks pages as used. Throws `Damage` if a page is used twice. */
  private take(first: number, count: number, use: string): void {
    const end = first + count
    if (!Number.isSafeInteger(end) || end > this.meta.lastPage + 1) {
      throw new Damage(`page ${first} (${use}) lies beyond the last page`)
    }
    for (let number = first; number < end; number += 1) {
      const bit = 1 << (number & 7)
      const byte = this.used[number >> 3] ?? 0
      if ((byte & bit) !== 0) throw new Damage(`page ${number} has two uses`)
      this.used[number >> 3] = byte | bit
    }
  }

  /** Reads the meta pages from the file again, because another process may have changed them. */
  private readMetas(): Buffer {
    const file = new ReadAhead(this.descriptor)
    const first = bytesOf(file, 0, metaBytes)
    const pageSize = first.readUInt32LE(headerBytes + 24)
    if (![4096, 8192, 16_384, 32_768, 65_536].includes(pageSize))
      throw new Damage('its first page is not a meta page')
    return Buffer.concat([first, bytesOf(file, pageSize, metaBytes)])
  }
}

function bytesOf(file: ReadAhead, position: number, length: number): Buffer {
  const bytes = file.read(position, length)
  if (bytes.length === length) return bytes
  throw new Damage(`it is cut short: ${length} bytes at ${position} are missing`)
}
