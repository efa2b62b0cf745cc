import type { Documents } from './rows-of.js'

/** Products in the form of the documentation's examples. */
export const products: Documents = [
  {
    id: '1',
    name: 'Remdriel Shoes',
    category: 'Shoes',
    sku: '61506',
    price: 15,
    metadata: { link: 'https://example.com/1' },
    colors: ['turquoise', 'cobalt', 'jam', 'galliano', 'gray-violet'],
    tags: [
      { key: 'fabric', value: 'leather', description: 'Leather' },
      { key: 'volume', value: '68-gal', description: '6.8 Gal' },
    ],
    sizes: [
      { key: '5', description: 'Small', order: 1 },
      { key: '6', description: 'Large', order: 3 },
      { key: '7', description: 'Extra Large', order: 4 },
    ],
  },
  {
    id: '2',
    name: 'Tirevy trunks',
    category: 'Trunks',
    sku: '73402',
    price: 10,
    metadata: { link: 'https://example.com/2' },
    colors: ['gray-cloud'],
    tags: [{ key: 'material', value: 'polyester', description: 'Polyester' }],
    sizes: [{ key: '65', description: 'Extra Small', order: 0 }],
  },
  { id: '3', name: 'Benki Hat', category: 'Hats', sku: '1', price: 40, colors: [], tags: [] },
  { id: '4', name: 'Plain', price: 60 },
]

/** One document per shape that the property `list` may have. */
export const lists: Documents = [
  { id: 'two', list: [1, 2] },
  { id: 'none', list: [] },
  { id: 'null', list: null },
  { id: 'text', list: 'ab' },
  { id: 'number', list: 7 },
  { id: 'truth', list: true },
  { id: 'object', list: { '0': 'x', length: 1 } },
  { id: 'missing' },
  { id: 'nested', list: [[3], null, 'z'] },
]

/** One document per type that the property `v` may have, and two more numbers. */
export const mixed: Documents = [
  { id: 'string', v: 'b' },
  { id: 'two', v: 2 },
  { id: 'null', v: null },
  { id: 'false', v: false },
  { id: 'missing' },
  { id: 'ten', v: 10 },
  { id: 'true', v: true },
  { id: 'minus', v: -1 },
]

/** Orders with lines: two levels of arrays, and a third in `parts`. */
export const orders: Documents = [
  {
    id: 'o1',
    customer: 'ann',
    city: 'Rome',
    total: 30,
    lines: [
      { sku: 'a', quantity: 2, parts: [{ n: 1 }, { n: 2 }] },
      { sku: 'b', quantity: 1, parts: [] },
      { sku: 'a', quantity: 4, parts: [{ n: 3 }] },
    ],
  },
  { id: 'o2', customer: 'bob', city: 'Rome', total: 5, lines: [{ sku: 'c', quantity: 1 }] },
  { id: 'o3', customer: 'ann', city: 'Oslo', total: 7, lines: [] },
  { id: 'o4', customer: 'cat', city: null, lines: [{ sku: 'b', quantity: 3, parts: [{ n: 9 }] }] },
  { id: 'o5', customer: 'bob', total: 8 },
]
