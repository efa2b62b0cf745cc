/** The items that the queries of the matrix read, and the containers that hold them. */
import type { ContainerRequest } from '@azure/cosmos'

export interface Order {
  readonly id: string
  readonly pk: string
  /** Each number from 0 to 89 once, in no order. */
  readonly n: number
  readonly colour: string
  readonly flag: boolean
  /** Sums of these prices are exact in binary. */
  readonly price: number
  readonly tags: readonly string[]
  readonly name: string
  readonly maybe?: number | null
}

export interface Article {
  readonly id: string
  readonly pk: string
  readonly vector: readonly number[]
  readonly text: string
}

const colours = ['red', 'green', 'blue'] as const
const names = ['Ærø', '東京', 'ünï', 'плюс', '😀 smile', 'plain'] as const

export const orders: readonly Order[] = Array.from({ length: 90 }, (_, index) => ({
  id: `d${String(index).padStart(2, '0')}`,
  pk: `k${index % 13}`,
  n: (index * 37) % 90,
  colour: colours[index % 3] ?? '',
  flag: index % 4 === 0,
  price: index * 1.25,
  tags: [`t${index % 5}`, `t${(index + 1) % 5}`],
  name: names[index % 6] ?? '',
  ...(index % 10 === 0 ? {} : { maybe: index % 10 === 5 ? null : index % 7 }),
}))

/**
 * Ten words each. Article 7 has "bicycle" most often. The farther an article is from it, the fewer it has.
 */
export const articles: readonly Article[] = Array.from({ length: 30 }, (_, index) => {
  const bicycles = Math.max(0, 6 - Math.abs(index - 7) * 2 + (index > 7 ? 1 : 0))
  return {
    id: `a${String(index).padStart(2, '0')}`,
    pk: `p${index % 7}`,
    vector: [Math.cos(index / 10), Math.sin(index / 10), 0.5],
    text: [...Array<string>(bicycles).fill('bicycle'), ...Array<string>(10 - bicycles).fill('river')].join(
      ' ',
    ),
  }
})

const everything = [{ path: '/*' }]

export const ordersContainer: ContainerRequest = {
  id: 'orders',
  partitionKey: { paths: ['/pk'] },
  indexingPolicy: {
    includedPaths: everything,
    excludedPaths: [],
    compositeIndexes: [
      [
        { path: '/colour', order: 'ascending' },
        { path: '/n', order: 'descending' },
      ],
    ],
  },
}

export const articlesContainer: ContainerRequest = {
  id: 'articles',
  partitionKey: { paths: ['/pk'] },
  indexingPolicy: {
    includedPaths: everything,
    excludedPaths: [{ path: '/vector/*' }],
    vectorIndexes: [{ path: '/vector', type: 'flat' as const }],
    fullTextIndexes: [{ path: '/text' }],
  },
  vectorEmbeddingPolicy: {
    vectorEmbeddings: [{ path: '/vector', dataType: 'float32', dimensions: 3, distanceFunction: 'cosine' }],
  },
  fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/text', language: 'en-US' }] },
} as unknown as ContainerRequest
