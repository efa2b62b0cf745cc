import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readStock } from '../../../../../samples/orders/services/stock-file.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stock-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function given(content: string): Promise<string> {
  const path = join(directory, 'stock.json')
  await writeFile(path, content)
  return path
}

describe('readStock', () => {
  it('reads products and keeps unknown fields', async () => {
    const path = await given('\uFEFF[{"productId":1,"unitsInStock":39,"product":"茶"}]')
    expect(await readStock(path)).toEqual([{ productId: 1, unitsInStock: 39, product: '茶' }])
  })

  it('reports all problems in one error', async () => {
    const path = await given(
      '[{"productId":1,"unitsInStock":-1},{"unitsInStock":1},{"productId":1,"unitsInStock":0.5}]',
    )
    const error = await readStock(path).catch(String)
    expect(error).toContain(path)
    expect(error).toContain('0.unitsInStock')
    expect(error).toContain('1.productId')
    expect(error).toContain('2.unitsInStock')
  })

  it('rejects a product that is listed twice', async () => {
    const path = await given('[{"productId":1,"unitsInStock":1},{"productId":1,"unitsInStock":2}]')
    await expect(readStock(path)).rejects.toThrow('1.productId: 1 is listed twice')
  })

  it('rejects a file that is not JSON or does not exist', async () => {
    await expect(readStock(await given('productId;unitsInStock'))).rejects.toThrow('it is not JSON')
    await expect(readStock(join(directory, 'nowhere.json'))).rejects.toThrow('nowhere.json')
  })
})
