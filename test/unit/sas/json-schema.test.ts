import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentSchemas } from '../../../src/sas/model/documents.js'

const folder = fileURLToPath(new URL('../../../docs/schema/', import.meta.url))

describe('the published schema of our documents', () => {
  // For agents in other languages. After a change of the documents, `vitest -u` on this file writes them
  // again.
  it.each(Object.entries(documentSchemas))(
    'of type %s is the schema that this code reads',
    async (type, schema) => {
      const title = `Documents of type ${type} in the state container of Stepward`
      const published = { ...z.toJSONSchema(schema.loose()), title }
      await expect(`${JSON.stringify(published, null, 2)}\n`).toMatchFileSnapshot(`${folder}${type}.json`)
    },
  )
})
