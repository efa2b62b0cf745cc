import type { Asked } from '../../integration/emulator/signed-request.js'
import type { Draw } from './draw.js'
import { wellFormed, type HostileRequest } from './http-request.js'
import { strangeJson, strangeText } from './strange.js'

const containers = ['items', 'lists', 'strict', 'tree', 'none'] as const

/** A request to an operation that only the emulator has, or to the data explorer. */
export function adminRequest(draw: Draw, key: string): HostileRequest {
  switch (draw.below(4)) {
    case 0:
      return wellFormed('explorer', explorer(draw), { key, isSigned: draw.chance(0.2) })
    case 1:
      return fault(draw, key)
    default:
      return wellFormed('admin', partitions(draw), { key, isSigned: draw.chance(0.9) })
  }
}

function explorer(draw: Draw): Asked {
  const name = draw.pick([
    '',
    'index.html',
    'main.js',
    'view.css',
    '../../../../etc/passwd',
    '..%2f..%2f..%2f..%2fetc%2fpasswd',
    'page/../../index.ts',
    '.env',
    '%2e%2e/main.js',
    'main.js%00.html',
    '__proto__',
    strangeText(draw),
  ])
  const host = draw.pick(['127.0.0.1', 'localhost', 'evil.example', '[::1]', '', strangeText(draw)])
  const origin = draw.pick(['http://127.0.0.1', 'https://evil.example', 'null', strangeText(draw)])
  const method = draw.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
  return { method, path: `/_explorer/${name}`, headers: { host, ...(draw.chance(0.3) ? { origin } : {}) } }
}

/** Splits and merges, which grow and shrink the number of ranges. */
function partitions(draw: Draw): Asked {
  const operation = draw.pick(['split', 'merge', 'ranges', '__proto__', 'faults/x', strangeText(draw)])
  const range = (): string => (draw.chance(0.8) ? `"${draw.below(12)}"` : strangeJson(draw))
  const members = [
    `"database":${draw.chance(0.9) ? '"shop"' : strangeJson(draw)}`,
    `"container":${draw.chance(0.9) ? `"${draw.pick(containers)}"` : strangeJson(draw)}`,
    operation === 'merge' ? `"rangeIds":[${range()},${range()}]` : `"rangeId":${range()}`,
  ]
  const method = draw.chance(0.9) ? 'POST' : draw.pick(['GET', 'PUT', 'DELETE'])
  return { method, path: `/_stepward/${operation}`, body: `{${members.join(',')}}` }
}

const faultMembers: readonly [string, ...string[]] = [
  'status',
  'delay',
  'times',
  'match',
  'reset',
  'probability',
]

/** A fault may disturb every other request, so it is alone and is removed afterwards. */
function fault(draw: Draw, key: string): HostileRequest {
  const members = Array.from({ length: draw.below(4) }, () => {
    const value = draw.chance(0.4) ? draw.pick(['429', '1', '{"container":"none"}']) : strangeJson(draw)
    return `"${draw.pick(faultMembers)}":${value}`
  })
  const method = draw.pick(['POST', 'POST', 'POST', 'GET', 'PUT'])
  const asked = { method, path: '/_stepward/faults', body: `{${members.join(',')}}` }
  const undo = { method: 'DELETE', path: '/_stepward/faults' }
  return { ...wellFormed('fault', asked, { key }), isAlone: true, undo }
}
