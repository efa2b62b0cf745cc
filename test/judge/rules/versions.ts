import { listIn, type AskedWrite, type Fields, type History, type Operation, type Seen } from './history.js'

/** A write of one document that took effect, or may have taken effect. */
export interface Write extends AskedWrite {
  readonly operation: Operation
  /** The etag in the answer, or null without one. */
  readonly etag: string | null
  /** The status of a refused write, alone or within its transaction. */
  readonly status: unknown
}

/** A sight of a document in a version, or of its absence (null). */
export interface Sight {
  readonly etag: string | null
  readonly digest: string
  readonly operation: Operation
}

/** A version of a document: its content, and the write that created it. */
export interface Version {
  readonly etag: string
  readonly value: Fields
  /** False after a delete. */
  readonly isThere: boolean
  readonly write: Write
}

/** Everything that a history contains about one document. */
export interface Document {
  readonly container: string
  readonly id: string
  readonly writes: readonly Write[]
  readonly refused: readonly Write[]
  readonly sights: readonly Sight[]
  /** Oldest first. Each replaced the one before. */
  readonly versions: readonly Version[]
  /** Effective writes that replaced an unknown version, or one that another write had replaced. */
  readonly loose: readonly Write[]
  /** Sights of versions that no write explains. */
  readonly unexplained: readonly Sight[]
}

/**
 * Returns every document of a history, with its versions in order. The order follows from the etag that each
 * write names.
 */
export function documentsOf(history: History): readonly Document[] {
  const found = new Map<string, { writes: Write[]; refused: Write[]; sights: Sight[] }>()
  const at = (container: string, id: string) => {
    const name = `${container}/${id}`
    const known = found.get(name) ?? { writes: [], refused: [], sights: [] }
    found.set(name, known)
    return known
  }
  for (const operation of history.operations) {
    if (operation.what === 'write') {
      const etags = listIn(operation.end, 'etags') as readonly (string | null)[]
      for (const [index, asked] of (listIn(operation.invoke, 'writes') as readonly AskedWrite[]).entries()) {
        const status = listIn(operation.end, 'statuses')[index] ?? operation.end?.['status']
        const write = { ...asked, operation, etag: etags[index] ?? null, status }
        const place = at(asked.container, asked.id)
        if (operation.status === 'fail') place.refused.push(write)
        else place.writes.push(write)
      }
      continue
    }
    const seen = listIn(operation.end, 'documents') as readonly Seen[]
    for (const { container, id, etag, digest } of seen)
      at(container, id).sights.push({ etag, digest, operation })
    const { container, id } = operation.invoke
    const isMissing = operation.what === 'read' && operation.status === 'ok' && seen.length === 0
    if (isMissing) at(String(container), String(id)).sights.push({ etag: null, digest: '', operation })
  }
  return [...found].map(([name, all]) => {
    const [container = '', ...id] = name.split('/')
    return { container, id: id.join('/'), ...all, ...ordered(all.writes, all.sights) }
  })
}

type Ordered = Pick<Document, 'versions' | 'loose' | 'unexplained'>

function ordered(writes: readonly Write[], sights: readonly Sight[]): Ordered {
  const etags = new Map<Write, string>()
  for (const write of writes) if (write.etag !== null) etags.set(write, write.etag)
  const unexplained = explain(writes, sights, etags)
  // A delete has no etag. If its answer was lost, it took effect if the document is absent afterwards.
  const isGone = (write: Write): boolean =>
    sights.some(({ etag, operation }) => etag === null && operation.until >= write.operation.from)
  const deletes = writes.filter(
    ({ kind, operation }) => kind === 'delete' && (operation.status === 'ok' || operation.status === 'info'),
  )
  const after = new Map<string, Write[]>()
  const add = (etag: string, write: Write): void => {
    after.set(etag, [...(after.get(etag) ?? []), write])
  }
  for (const write of etags.keys())
    if (write.kind === 'replace' && write.ifMatch !== null) add(write.ifMatch, write)
  for (const write of deletes) {
    if (write.ifMatch !== null && (write.operation.status === 'ok' || isGone(write)))
      add(write.ifMatch, write)
  }
  const creates = [...etags.keys()].filter(({ kind }) => kind === 'create')
  const versions: Version[] = []
  let next = creates.sort((a, b) => a.operation.from - b.operation.from)[0]
  while (next !== undefined && !versions.some(({ write }) => write === next)) {
    const isThere = next.kind !== 'delete'
    const etag: string = etags.get(next) ?? `gone ${versions.length}`
    versions.push({ etag, value: next.value, isThere, write: next })
    next = after.get(etag)?.[0]
  }
  const placed = new Set(versions.map(({ write }) => write))
  const loose = [...etags.keys()].filter((write) => !placed.has(write))
  return { versions, loose, unexplained }
}

/** Finds the write of each seen version among the writes whose answer was lost. */
function explain(
  writes: readonly Write[],
  sights: readonly Sight[],
  etags: Map<Write, string>,
): readonly Sight[] {
  const known = new Set(etags.values())
  const lost = writes.filter(({ operation, kind }) => operation.status === 'info' && kind !== 'delete')
  const unexplained: Sight[] = []
  const byEnd = [...sights].sort((a, b) => a.operation.until - b.operation.until)
  for (const sight of byEnd) {
    const { etag, digest, operation } = sight
    if (etag === null || known.has(etag)) continue
    const taken = new Set([...etags.keys()].map(({ ifMatch }) => ifMatch))
    const fitting = lost.filter(
      (write) => !etags.has(write) && write.digest === digest && write.operation.from <= operation.until,
    )
    const write = fitting.find(({ ifMatch }) => ifMatch === null || !taken.has(ifMatch)) ?? fitting[0]
    if (write === undefined) unexplained.push(sight)
    else {
      etags.set(write, etag)
      known.add(etag)
    }
  }
  return unexplained
}
