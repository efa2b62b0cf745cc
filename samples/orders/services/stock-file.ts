import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const stockItem = z.looseObject({
  productId: z.number().int(),
  unitsInStock: z.number().int().nonnegative(),
})

const stockFile = z.array(stockItem).superRefine((items, context) => {
  const seen = new Set<number>()
  items.forEach(({ productId }, index) => {
    if (seen.has(productId)) {
      context.addIssue({
        code: 'custom',
        path: [index, 'productId'],
        message: `${productId} is listed twice`,
      })
    }
    seen.add(productId)
  })
})

/** A stock file: a JSON array of products with their initial units. Other fields are for people. */
export type StockFile = z.infer<typeof stockFile>

/** Reads a stock file. Throws one error that lists all problems in the file. */
export async function readStock(path: string): Promise<StockFile> {
  const text = await readFile(path, 'utf8')
  const read = stockFile.safeParse(parse(path, text.replace(/^\uFEFF/, '')))
  if (read.success) return read.data
  const problems = read.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(
    [`cannot read stock from ${path}; expected [{"productId": 1, "unitsInStock": 39}, …]:`, ...problems].join(
      '\n',
    ),
  )
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`cannot read stock from ${path}: it is not JSON`, { cause: error })
  }
}
