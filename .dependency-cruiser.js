/** Rows of one area: a name without a slash before it lies in the area, `/sas` is `src/sas`, and `.` is the area itself. */
function within(area, rows) {
  const path = (name) => {
    if (name === '.') return area
    if (!name.startsWith('/')) return `${area}/${name}`
    return name === '/lease-store' ? 'lease-store' : `src${name}`
  }
  return Object.fromEntries(Object.entries(rows).map(([room, lower]) => [path(room), lower.map(path)]))
}

/** The folders of the functions of the query language. */
const functionFamilies = ['arrays', 'dates', 'full-text', 'numbers', 'spatial', 'texts'].map(
  (family) => `functions/${family}`,
)

const stores = [
  'sas/model',
  'sas/model/delivered',
  'sas/store',
  'sas/store/cosmos',
  'sas/store/filters',
  '/lease-store',
]
const jobs = ['platform', 'sas', 'telemetry']

/** Which folder may import which besides its own files, from the ground floor up; tests and samples have rules of their own. */
// prettier-ignore
const rooms = {
  ...within('src', {
    'platform/http': [],
    'platform/options': [],
    'platform/processes': [],
    platform: ['platform/options', 'platform/processes'],
    telemetry: ['platform'],
    'engine-ports/door': [
      'change-feed-processor/feed', 'emulator/engine', 'emulator/engine/values', 'engine-ports', 'platform', 'sas/in-process', ...stores,
    ],
    'engine-ports': [
      'change-feed-processor/feed', 'emulator/engine', 'emulator/engine/values', 'emulator/indexes', 'emulator/messages',
      'engine-ports/door', 'platform', 'sas/in-process', ...stores,
    ],
    'testing/payloads': ['platform', 'sas', 'testing'],
    'testing/stories': ['platform', 'sas', 'sas/model', 'sas/model/planned', 'testing'],
    testing: [
      'testing/payloads', 'testing/stories', 'change-feed-processor', 'engine-ports', 'emulator', 'emulator/engine', 'wake-up', ...jobs, ...stores,
    ],
    'wake-up': ['change-feed-processor', 'platform', 'sas', 'telemetry', '/lease-store'],
    'connection/azure': ['platform', 'platform/http', 'sas'],
    connection: [
      'connection/azure', 'change-feed-processor', 'emulator', 'engine-ports', 'platform', 'sas', 'telemetry', 'wake-up', '/lease-store',
    ],
    'operations/lacking': ['change-feed-processor', 'connection', 'operations', 'platform', 'sas', '/lease-store'],
    operations: ['operations/lacking', 'change-feed-processor', 'connection', 'platform', 'sas', '/lease-store'],
    host: [
      'change-feed-processor', 'connection', 'page', 'platform', 'sas', 'telemetry', 'wake-up', '/lease-store',
    ],
    fleet: ['change-feed-processor', 'connection', 'host', 'operations', 'platform', 'telemetry', '/lease-store'],
  }),
  ...within('lease-store', {
    lease: [],
    balance: ['lease'],
    cosmos: ['lease'],
    ranges: ['lease'],
    '.': ['balance', 'cosmos', 'lease', 'ranges'],
  }),
  ...within('src/change-feed-processor', {
    feed: ['/lease-store', '/platform'],
    checks: ['feed', '/lease-store', '/platform'],
    options: ['feed', '/lease-store', '/platform', '/telemetry'],
    runtime: ['feed', 'options', '/lease-store', '/platform', '/telemetry'],
    'lease-holding': ['feed', 'runtime', '/lease-store', '/platform'],
    delivery: ['feed', 'lease-holding', 'options', 'runtime', '/platform'],
    doctor: ['feed', 'options', '/lease-store', '/platform'],
    reading: ['delivery', 'feed', 'lease-holding', 'options', 'runtime', '/lease-store', '/platform'],
    ownership: [
      'checks', 'delivery', 'feed', 'lease-holding', 'options', 'reading', 'runtime', '/lease-store', '/platform',
    ],
    '.': [
      'checks', 'delivery', 'doctor', 'feed', 'lease-holding', 'options', 'ownership', 'runtime', '/lease-store', '/platform', '/telemetry',
    ],
  }),
  ...within('src/sas', {
    'model/values': ['/platform'],
    'model/checks': ['model', 'model/values'],
    'model/copies': ['model'],
    'model/delivered': ['model'],
    'model/planned': ['model', 'model/copies', 'model/values'],
    model: ['model/checks', 'model/copies', 'model/planned', 'model/values', '/platform'],
    plan: ['model', 'model/values'],
    'store/filters': ['model', '/platform'],
    store: ['model', 'model/planned', 'model/copies', 'model/values', 'store/filters', '/platform', '/telemetry'],
    'store/cosmos': ['model', 'store', 'store/filters', '/change-feed-processor', '/lease-store', '/platform'],
    waiting: ['model', 'model/values', 'plan', '/platform'],
    payloads: ['model', 'model/values', 'plan', 'store', '/platform', '/telemetry'],
    gates: ['model', 'model/values', 'plan', 'store', '/platform', '/telemetry'],
    pauses: ['model', 'model/values', 'store', '/platform', '/telemetry'],
    'fleet-decisions': ['model', 'model/values', 'store', '/platform'],
    decisions: ['gates', 'model', 'model/delivered', 'model/planned', 'model/copies', 'model/values', 'pauses', 'plan', 'store', 'waiting', '/platform', '/telemetry'],
    'decisions/operator': ['decisions', 'model', 'model/values', 'pauses', 'plan', 'waiting', '/platform'],
    submission: ['decisions', 'model', 'model/planned', 'model/copies', 'model/values', 'pauses', 'plan', 'store', '/platform'],
    'in-process': [
      'decisions', 'model', 'model/delivered', 'model/values', 'pauses', 'store', 'submission', 'waiting', '/change-feed-processor', '/lease-store',
    ],
    agents: [
      'agents/attempts', 'decisions', 'gates', 'in-process', 'model', 'model/delivered', 'model/planned', 'model/values', 'payloads', 'plan', 'store', 'waiting',
      '/change-feed-processor', '/platform', '/telemetry',
    ],
    'agents/attempts': [
      'agents', 'decisions', 'in-process', 'model', 'model/planned', 'model/values', 'payloads', 'plan', 'store', '/platform', '/telemetry',
    ],
    timing: ['store', '/platform', '/telemetry'],
    notifier: [
      'decisions', 'model', 'model/delivered', 'model/values', 'plan', 'store', 'timing', '/change-feed-processor', '/platform', '/telemetry',
    ],
    items: [
      'in-process', 'agents', 'model', 'payloads', 'plan', 'store', 'submission', 'workflow', '/platform', '/telemetry',
    ],
    workflow: ['agents', 'gates', 'model', 'model/values', 'plan', 'waiting', '/platform'],
    schedules: [
      'decisions', 'model', 'model/values', 'plan', 'store', 'submission', 'workflow', '/platform', '/telemetry',
    ],
    'client/repair': [
      'client', 'decisions', 'decisions/operator', 'model', 'model/planned', 'model/values', 'payloads', 'plan', 'store', 'submission', 'workflow', '/platform',
      '/telemetry',
    ],
    'client/cost': ['model', 'model/planned', 'plan', 'schedules', 'store', 'workflow'],
    'client/waits': ['in-process', 'model', 'store', '/platform'],
    'client/history': ['decisions/operator', 'model', 'model/planned', 'plan', 'store', '/platform'],
    'client/triage': ['client', 'decisions/operator', 'model', 'model/values', '/platform'],
    'client/pauses': ['client', 'model', 'model/values', 'pauses', 'store', '/platform', '/telemetry'],
    client: [
      'client/cost', 'client/history', 'client/pauses', 'client/repair', 'client/triage', 'client/waits', 'decisions', 'decisions/operator', 'gates', 'in-process', 'model', 'model/planned', 'model/values', 'notifier', 'pauses', 'payloads', 'plan', 'schedules', 'store', 'store/filters', 'submission', 'waiting',
      'workflow', '/platform', '/telemetry',
    ],
    'scheduler/memory': [
      'decisions', 'gates', 'model', 'model/delivered', 'model/planned', 'store', 'submission', '/platform',
    ],
    scheduler: [
      'scheduler/memory', 'decisions', 'gates', 'in-process', 'model', 'model/copies', 'model/delivered', 'model/planned', 'model/values', 'pauses', 'plan', 'store', 'submission',
      '/change-feed-processor', '/platform', '/telemetry',
    ],
    supervisor: [
      'decisions', 'gates', 'model', 'model/delivered', 'model/values', 'schedules', 'store', 'timing', 'waiting', '/change-feed-processor',
      '/lease-store', '/platform', '/telemetry',
    ],
    '.': [
      'agents', 'client', 'client/cost', 'client/history', 'client/pauses', 'client/repair', 'client/triage', 'decisions', 'decisions/operator', 'fleet-decisions', 'gates', 'in-process', 'items', 'model', 'model/delivered', 'model/values', 'notifier', 'pauses', 'payloads', 'plan', 'scheduler', 'schedules', 'store', 'store/cosmos', 'store/filters',
      'submission', 'supervisor', 'waiting', 'workflow', '/change-feed-processor', '/lease-store', '/platform', '/telemetry',
    ],
  }),
  ...within('src/emulator', {
    'engine/values': [],
    'engine/cold': ['engine/values'],
    'engine/expiry': ['engine/cold', 'engine/values'],
    'engine/partitions': ['engine/cold', 'engine/values'],
    'engine/changes': ['engine/partitions', 'engine/values'],
    'engine/definition': ['engine/partitions', 'engine/values'],
    engine: [
      'engine/changes', 'engine/cold', 'engine/definition', 'engine/expiry', 'engine/partitions', 'engine/values',
    ],
    durability: ['engine', '/platform'],
    messages: ['engine'],
    faults: ['engine', 'messages', '/platform'],
    'indexes/summaries': ['engine', 'query/values', '/platform'],
    indexes: ['engine', 'engine/partitions', 'indexes/summaries', 'query', 'query/values', '/platform'],
    'rest/pages': ['engine', 'indexes', 'messages', 'query', 'query/values', 'rest/metering'],
    'rest/rules': ['engine', 'messages', 'query', 'query/language'],
    'rest/authorization': ['engine', 'messages'],
    'rest/metering': ['engine', 'messages'],
    'rest/routes': [
      'engine', 'faults', 'indexes', 'messages', 'query', 'query/language', 'rest/authorization', 'rest/metering', 'rest/pages', 'rest/rules',
    ],
    'rest/routes/users': ['engine', 'messages', 'rest/authorization', 'rest/routes'],
    rest: [
      'engine', 'faults', 'indexes', 'messages', 'query/language', 'rest/authorization', 'rest/metering', 'rest/routes', 'rest/routes/users',
    ],
    explorer: ['messages'],
    'explorer/page/account': [],
    'explorer/page/views': ['explorer/page/account'],
    'explorer/page': ['explorer/page/account', 'explorer/page/views'],
    attach: ['durability', 'engine/values'],
    doors: [
      'durability', 'engine', 'explorer', 'faults', 'indexes', 'messages', 'rest', 'rest/authorization', 'rest/metering', 'rest/routes', '/platform', '/platform/http',
    ],
    '.': ['attach', 'doors', 'engine', 'faults', 'messages', 'rest'],
  }),
  ...within('src/emulator/query', {
    language: [],
    values: ['language'],
    ...Object.fromEntries(functionFamilies.map((family) => [family, ['language', 'values', '/platform']])),
    functions: [...functionFamilies, 'language', 'values'],
    select: [...functionFamilies, 'functions', 'language', 'values'],
    plan: ['language', 'select'],
    computed: ['language', 'select'],
    '.': ['computed', 'language', 'plan', 'select', 'values', '/platform'],
  }),
  ...within('src/page', {
    door: ['/platform'],
    live: ['/change-feed-processor', '/platform', '/sas'],
    'api/past': ['api', '/operations', '/platform', '/sas'],
    api: ['api/past', 'door', '/connection', '/operations', '/platform', '/sas', '/telemetry'],
    assets: ['/platform'],
    'browser/stream': [],
    'browser/state': ['browser/stream'],
    'browser/inputs': ['browser/state'],
    'browser/parts': ['browser/inputs', 'browser/state'],
    'browser/now': ['browser/parts', 'browser/state'],
    'browser/past': ['browser/parts', 'browser/state'],
    'browser/views': ['browser/inputs', 'browser/now', 'browser/parts', 'browser/past', 'browser/state'],
    browser: ['browser/parts', 'browser/past', 'browser/state', 'browser/views'],
    '.': ['api', 'assets', 'door', 'live', '/connection', '/operations', '/platform', '/sas'],
  }),
  ...within('src/cli', {
    output: ['/connection', '/operations', '/platform', '/sas'],
    commands: ['output'],
    input: [
      'output', '/connection', '/emulator', '/emulator/attach', '/emulator/doors', '/engine-ports', '/fleet', '/host', '/operations',
      '/platform', '/sas', '/telemetry',
    ],
    running: ['input', 'output', '/connection', '/fleet', '/host', '/platform', '/sas', '/telemetry'],
    'commands/instances': [
      'input', 'output', 'running', '/connection', '/fleet', '/operations', '/platform', '/sas',
    ],
    'commands/operations': [
      'input', 'output', 'running', '/connection', '/operations', '/page', '/platform', '/sas',
    ],
    'commands/jobs': ['input', 'output', 'running', '/operations', '/platform', '/sas', '/telemetry'],
    'commands/store': [
      'input', 'output', 'running', '/connection', '/emulator', '/engine-ports', '/host', '/page', '/platform', '/telemetry',
    ],
    '.': [
      'commands', 'commands/instances', 'commands/jobs', 'commands/operations', 'commands/store', 'input', 'output', 'running', '/platform',
    ],
  }),
}

/** Files that may import the SDK: adapters, what builds them, and the doors that hand out a client. */
const adapters = [
  '/cosmos-[^/]+\\.ts$',
  '^src/(connection|host|operations)/',
  '^src/emulator/(attach/attached-account|doors/(emulator-server|in-process-client|in-process-cosmos))\\.ts$',
]

/** Matches the files of a folder without its subfolders; from another room, only its doors (`options.ts` alone loads zod). */
function filesOf(folder, from = folder) {
  const isOtherRoom = /^(src\/[^/]+|lease-store)$/.test(folder) && !from.startsWith(folder)
  return `^${folder}/${isOtherRoom ? '(index|internal|options)' : '[^/]+'}\\.[jt]s$`
}

const edges = Object.entries(rooms).map(([room, lower]) => ({
  name: `imports-of-${room.replaceAll('/', '-')}`,
  comment: `${room} may import ${lower.length === 0 ? 'no other folder' : lower.join(', ')}: see .dependency-cruiser.js`,
  severity: 'error',
  from: { path: filesOf(room) },
  to: { path: '^(src|lease-store|test|samples)/', pathNot: [room, ...lower].map((to) => filesOf(to, room)) },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...edges,
    {
      name: 'a-folder-in-the-table',
      comment: 'add the folder to the table in .dependency-cruiser.js, with what it may import',
      severity: 'error',
      from: { path: '^(src|lease-store)/.+/', pathNot: Object.keys(rooms).map((name) => filesOf(name)) },
      to: {},
    },
    {
      name: 'no-circle',
      comment:
        'files that import each other cannot be read one after another; move what both need below both',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'public-names-in-samples',
      comment: "samples read as a user's own code: they import the package by its public names",
      severity: 'error',
      from: { path: '^samples/' },
      to: { path: '^(src|lease-store|test)/', dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'sdk-in-adapters',
      comment: '@azure/cosmos belongs in cosmos-*.ts and in what builds the adapters; depend on the port',
      severity: 'error',
      from: { path: '^(src|lease-store)/', pathNot: adapters },
      to: { path: '^node_modules/@azure/cosmos/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    // Samples import the built package. Its files have the imports of their sources, which are checked.
    doNotFollow: { path: ['node_modules', '^dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node'] },
  },
}
