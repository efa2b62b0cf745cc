import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { DocumentVersion } from '../../../../../src/emulator/engine/index.js'
import {
  countIn,
  documentIn,
  documentsIn,
  withDocument,
  withoutDocument,
  type KeyDocuments,
} from '../../../../../src/emulator/engine/partitions/key-documents.js'

const home = { keyText: '["k"]', epk: '', owner: { rid: 'c', memory: null, evict: () => undefined } }

function aVersion(id: string, lsn: number): DocumentVersion {
  return new DocumentVersion(
    home,
    { id, number: 1, lsn, place: 0, origin: 0, ts: 0, ttl: null, bytes: 2 },
    '{}',
  )
}

it('the documents of a key are as in a map, whether few or many', () => {
  const action = fc.record({ id: fc.nat(15), isRemoval: fc.boolean() })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      let documents: KeyDocuments | undefined
      const model = new Map<string, DocumentVersion>()
      for (const [lsn, { id, isRemoval }] of actions.entries()) {
        const version = aVersion(String(id), lsn)
        if (isRemoval) {
          documents = withoutDocument(documents, version.id)
          model.delete(version.id)
        } else {
          documents = withDocument(documents, version)
          model.set(version.id, version)
        }
        expect([...documentsIn(documents)]).toEqual([...model.values()])
        expect(documentIn(documents, version.id)).toBe(model.get(version.id))
        expect(countIn(documents)).toBe(model.size)
        expect(documents === undefined).toBe(model.size === 0)
      }
    }),
  )
})
