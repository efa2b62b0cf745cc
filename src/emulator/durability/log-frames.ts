import { crc32 } from 'node:zlib'
import type { ContainerRecord, RecoveredDocument } from '../engine/index.js'
import { decodedDocument, encodedDocument } from './document-record.js'
import {
  addGroup,
  allSummaries,
  containerPrefix,
  emptyGroup,
  isDocument,
  isSummaryKey,
  lifetimeIn,
  noteRemoved,
  numberIn,
  removeKeys,
  removeSummaries,
  setSummary,
  summarizedIn,
  type Group,
} from './journal-entries.js'

/**
 * A frame of the log is a group: a fixed mark, the length of its lines in bytes, their checksum, and the lines. The
 * first character of a line says what it is.
 */
const kinds = {
  /** A prefix whose keys are removed. */
  cleared: 'c',
  /** A key that is removed. */
  none: 'n',
  /** A key and its value. */
  value: 'v',
  /** The key of a document that is removed. */
  gone: 'g',
  /** The key of a document, whose record is the next two lines. */
  document: 'd',
} as const

const mark = Buffer.from('\nSTWLOG\n')
const headBytes = mark.length + 8
const lineBreak = 10

/** What the frames of logs say together. */
export interface Logged {
  /** All but the documents. */
  readonly group: Group
  readonly documents: Map<string, RecoveredDocument>
}

export function nothingLogged(): Logged {
  return { group: emptyGroup(), documents: new Map() }
}

/**
 * The number of a log, and the position of a frame in it. The checksum covers both, so that no frame is valid at another
 * place.
 */
export interface FramePlace {
  readonly log: number
  readonly position: number
}

/** The most bytes of UTF-8 for one unit of a JavaScript string. */
const bytesPerUnit = 3

/**
 * Returns a group as a frame.
 *
 * @param memory the frame is written there if it certainly fits
 */
export function frameOf(group: Group, place: FramePlace, memory: Buffer = Buffer.alloc(0)): Buffer {
  const lines = linesOf(group)
  const units = lines.reduce((sum, line) => sum + line.length, 0)
  const fits = headBytes + bytesPerUnit * units + lines.length <= memory.length
  const bytes = fits ? 0 : lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, -1)
  const frame = fits ? memory : Buffer.allocUnsafe(headBytes + Math.max(0, bytes))
  mark.copy(frame)
  let end = headBytes
  for (const line of lines) {
    if (end > headBytes) end = frame.writeUInt8(lineBreak, end)
    end += frame.write(line, end)
  }
  frame.writeUInt32LE(end - headBytes, mark.length)
  frame.writeUInt32LE(checksumOf(frame.subarray(headBytes, end), place), mark.length + 4)
  return frame.subarray(0, end)
}

function linesOf({ entries, cleared }: Group): string[] {
  const lines: string[] = []
  for (const prefix of cleared) lines.push(kinds.cleared + prefix)
  for (const [key, entry] of entries) {
    if (isDocument(entry)) {
      const { version } = entry
      if (version === null) lines.push(kinds.gone + key)
      else
        lines.push(
          kinds.document + key,
          encodedDocument(version, () => null),
        )
    } else if (entry !== null) lines.push(`${kinds.value}${key}\t${entry}`)
    // A changed document removes the summaries of its block and chapter, so no line needs to say so.
    else if (!isSummaryKey(key)) lines.push(kinds.none + key)
  }
  return lines
}

/** Returns the lines of the complete frame at a place, and the end of the frame. Returns null if there is none. */
export function frameAt(
  bytes: Buffer,
  place: FramePlace,
): { readonly lines: Buffer; readonly end: number } | null {
  const { position } = place
  const start = position + headBytes
  if (start > bytes.length || !bytes.subarray(position, position + mark.length).equals(mark)) return null
  const end = start + bytes.readUInt32LE(position + mark.length)
  const found = bytes.subarray(start, end)
  const isWhole =
    end <= bytes.length && bytes.readUInt32LE(position + mark.length + 4) === checksumOf(found, place)
  return isWhole ? { lines: found, end } : null
}

/**
 * Checks whether a complete frame begins after a position. A frame is written only when the one before it is on disk. So
 * if one does, the bytes at the position were altered later.
 */
export function isFollowed(bytes: Buffer, { log, position }: FramePlace): boolean {
  for (let at = bytes.indexOf(mark, position + 1); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    if (frameAt(bytes, { log, position: at }) !== null) return true
  }
  return false
}

function checksumOf(bytes: Uint8Array, { log, position }: FramePlace): number {
  return crc32(bytes, crc32(`${log} ${position}`))
}

function* linesIn(bytes: Buffer): Generator<string, undefined, undefined> {
  let from = 0
  while (from < bytes.length) {
    const next = bytes.indexOf(10, from)
    const end = next < 0 ? bytes.length : next
    yield bytes.toString('utf8', from, end)
    from = end + 1
  }
}

/** Adds what a frame says to what the frames before it say. */
export function addLines(logged: Logged, bytes: Buffer): void {
  const { documents } = logged
  const group = emptyGroup()
  const changed = new Map<string, RecoveredDocument>()
  const lines = linesIn(bytes)
  for (const line of lines) {
    const rest = line.slice(1)
    switch (line.charAt(0)) {
      case kinds.cleared:
        group.cleared.add(rest)
        break
      case kinds.none:
        removeValue(group, rest)
        break
      case kinds.value: {
        const end = rest.indexOf('\t')
        setValue(group, rest.slice(0, end), rest.slice(end + 1))
        break
      }
      case kinds.gone:
        note(rest, null)
        break
      case kinds.document:
        note(rest, `${lines.next().value ?? ''}\n${lines.next().value ?? ''}`)
    }
  }
  addGroup(logged.group, group)
  removeKeys(documents, group.cleared)
  for (const [key, document] of changed) documents.set(key, document)

  function note(key: string, record: string | null): void {
    const { containerRid, number } = documentIn(key)
    const value = record === null ? null : Buffer.from(record)
    const kept = value && decodedDocument({ number, value }, () => undefined)
    changed.set(key, { containerRid, number, kept: kept ?? null })
    removeSummaries(group, containerRid, number)
  }
}

/** Sets a value that is not a document. */
function setValue(group: Group, key: string, value: string): void {
  const { entries, lifetimes } = group
  if (key.startsWith(allSummaries)) {
    setSummary(group, containerIn(key), { block: summarizedIn(key), text: value })
    return
  }
  entries.set(key, value)
  if (!key.startsWith(containerPrefix)) return
  const record = JSON.parse(value) as ContainerRecord
  lifetimes.set(record.rid, lifetimeIn(record))
}

/** Removes a value that is not a document. */
function removeValue(group: Group, key: string): void {
  group.entries.set(key, null)
  if (key.startsWith(containerPrefix)) noteRemoved(group, key.slice(containerPrefix.length))
}

/** Returns the container and the number of the document in a key. */
function documentIn(key: string): { readonly containerRid: string; readonly number: number } {
  return { containerRid: containerIn(key), number: numberIn(key) }
}

function containerIn(key: string): string {
  return key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'))
}
