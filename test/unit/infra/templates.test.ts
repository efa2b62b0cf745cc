import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ContainerRole } from '../../../lease-store/internal.js'
import { workerNodeOptions } from '../../../src/fleet/instance.js'
import { containerRoles } from '../../../src/connection/containers.js'
import { roles } from '../../../src/connection/role.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const modules = readdirSync(`${root}infra/modules`)
const moduleText = (name: string): string => read(`infra/modules/${name}.bicep`)
const main = read('infra/main.bicep')

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '')
}

describe('the infrastructure template', () => {
  it('uses every module, and only existing modules', () => {
    expect(matches(main, /^module \w+ 'modules\/([\w-]+\.bicep)'/gm).toSorted()).toEqual(modules.toSorted())
  })

  it('declares the necessary types of resources, each in one version', () => {
    const all = modules.map((file) => read(`infra/modules/${file}`)).join('\n')
    const types = new Set(matches(all, /^resource \w+ '([^']+)'/gm))
    expect([...types].map((type) => type.split('@')[0]).length).toBe(
      new Set([...types].map((type) => type.split('@')[0])).size,
    )
    for (const type of [
      'Microsoft.DocumentDB/databaseAccounts@2024-05-15',
      'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-05-15',
      'Microsoft.Web/serverfarms@2024-04-01',
      'Microsoft.Web/sites@2024-04-01',
      'Microsoft.Insights/components@2020-02-02',
      'Microsoft.Insights/metricAlerts@2018-03-01',
    ]) {
      expect(types).toContain(type)
    }
  })

  it.each(modules.map((file) => file.replace('.bicep', '')))(
    'passes the module %s all of its parameters, and no others',
    (name) => {
      const declared = matches(moduleText(name), /^param (\w+)/gm)
      const call = new RegExp(
        `'modules/${name}\\.bicep' = \\{[^]*?params: \\{\\n([^]*?)\\n {2}\\}`,
        'm',
      ).exec(main)?.[1]
      expect(matches(call ?? '', /^ +(\w+):/gm).toSorted()).toEqual(declared.toSorted())
    },
  )

  it.each(['small', 'production'])(
    'gets from %s only known parameters, and all that have no default',
    (size) => {
      const given = matches(read(`infra/parameters/${size}.bicepparam`), /^param (\w+)/gm)
      const declared = matches(main, /^param (\w+)/gm)
      const needed = matches(main, /^param (\w+) \w+$/gm)
      expect(declared).toEqual(expect.arrayContaining(given))
      expect(given).toEqual(expect.arrayContaining(needed))
    },
  )

  it.each([
    ['main by default', main],
    ['production', read('infra/parameters/production.bicepparam')],
  ])('runs the necessary roles at least twice in %s (R127)', (_name, text) => {
    const [, instances = ''] = /^param instances .*\{\n([^}]*)\}/m.exec(text) ?? []
    for (const role of ['scheduler', 'agents', 'supervisor']) {
      const [, count] = new RegExp(`${role}: (\\d+)`).exec(instances) ?? []
      expect(Number(count), role).toBeGreaterThanOrEqual(2)
    }
  })

  it('closes every bracket', () => {
    for (const file of modules) {
      const text = read(`infra/modules/${file}`)
        .replace(/'[^'\n]*'/g, '')
        .replace(/\/\/.*$/gm, '')
      for (const [open, close] of ['{}', '[]', '()']) {
        expect(text.split(open ?? '').length, `${file}: ${open ?? ''}`).toBe(text.split(close ?? '').length)
      }
    }
  })
})

describe('the store of the template', () => {
  const cosmos = moduleText('cosmos')

  it('has the containers that a host expects, with keys, time to live and index', () => {
    const rows = /\{ id: '(\w+)', key: '(\/\w+)', ttl: (-?\d+), indexed: (\[.*?\]|\w+)/g
    const paths = (list: string): string[] => matches(list, /'(\/[\w/]+[?*])'/g)
    const [, stateIndexPaths = ''] = /^var stateIndexPaths = \[([^\]]*)\]/m.exec(cosmos) ?? []
    const found = [...cosmos.matchAll(rows)].map(([, id, partitionKey, ttl, indexed = '']) => ({
      id,
      partitionKey,
      defaultTtl: Number(ttl),
      indexedPaths: paths(indexed === 'stateIndexPaths' ? stateIndexPaths : indexed),
    }))
    const settings = ({ partitionKeys: [partitionKey], indexedPaths }: ContainerRole) => ({
      partitionKey,
      defaultTtl: -1,
      indexedPaths,
    })
    expect(found).toEqual([
      { id: 'state', ...settings(containerRoles.state) },
      { id: 'leases', ...settings(containerRoles.leases) },
      { id: 'deadletter', partitionKey: '/pk', defaultTtl: 2_592_000, indexedPaths: ['/type/?', '/jobId/?'] },
    ])
  })

  it('writes in one region, accepts no keys, and keeps back-ups for seven days (C22)', () => {
    expect(cosmos).toContain('enableMultipleWriteLocations: false')
    expect(cosmos).toContain('disableLocalAuth: true')
    expect(cosmos).toContain('Continuous7Days')
  })

  it('gives each app its permissions, container by container', () => {
    const access = moduleText('access')
    expect(matches(access, /scope: '\$\{database\}\/colls\/(\w+)'/g)).toEqual([
      'state',
      'leases',
      'deadletter',
    ])
    expect(access).toContain('00000000-0000-0000-0000-000000000002')
    const [, stateWorker = '', leaseHolder = ''] = access.split('sqlRoleDefinitions@2024-05-15')
    // The SDK’s queries need both actions.
    for (const role of [stateWorker, leaseHolder]) {
      expect(matches(role, /'\$\{container\}\/(\w+)'/g)).toEqual(['readChangeFeed', 'executeQuery'])
    }
    expect(stateWorker).not.toContain('/delete')
    expect(leaseHolder).toContain('/delete')
  })

  it('changes the role assignments of the account one at a time', () => {
    const access = moduleText('access')
    const resources = [
      ...access.matchAll(
        /(@batchSize\(1\)\n)?^resource (\w+) '\S+(?:Definitions|Assignments)@\S+' = (\[?)([^]*?)\n[}\]]/gm,
      ),
    ].map(([, batch, name = '', loop, body = '']) => ({
      name,
      isOneByOne: loop === '' || batch !== undefined,
      after: /dependsOn: \[(\w+)\]/.exec(body)?.[1],
    }))
    expect(resources.filter(({ isOneByOne }) => !isOneByOne)).toEqual([])
    const order = [
      'stateWorker',
      'leaseHolder',
      'replyWriter',
      'onState',
      'onLeases',
      'onDeadLetter',
      'onReplies',
    ]
    expect(new Map(resources.map(({ name, after }) => [name, after]))).toEqual(
      new Map(order.map((name, index) => [name, order[index - 1]])),
    )
  })

  it('has an alert on a table that does not exist before an app writes', () => {
    const [, rule = ''] = /^resource attention ([^]*?)\n\}/m.exec(moduleText('alerts')) ?? []
    expect(rule).toContain('AppServiceConsoleLogs')
    expect(rule).toContain('skipQueryValidation: true')
  })

  it('has globally unique names, which end in a hash of the resource group', () => {
    expect(main).toContain('param unique string = take(uniqueString(resourceGroup().id), 8)')
    expect(cosmos).toContain("name: '${name}-cosmos${suffix}'")
    expect(moduleText('app-service')).toContain("name: '${name}-${role}${suffix}'")
    // The name may have 44 characters: the longest name, the longest suffix, and the text between them.
    const longest = matches(main, /^@maxLength\((\d+)\)$/gm).map(Number)
    expect(longest.reduce((sum, length) => sum + length, '-cosmos-'.length)).toBeLessThanOrEqual(44)
  })

  it('lets only the notifier write to the containers of a replyTo', () => {
    const access = moduleText('access')
    const definition = access.slice(
      access.indexOf('resource replyWriter'),
      access.indexOf('resource onReplies'),
    )
    expect(matches(definition, /'\$\{(\w+\}\/\w+)'/g)).toEqual(['items}/create', 'items}/upsert'])
    const assignment = access.slice(access.indexOf('resource onReplies'))
    expect(assignment).toContain('for name in replyContainers')
    expect(assignment).toContain(
      "filter(principals, principal => principal.role == 'notifier')[0].principalId",
    )
    expect(assignment).toContain("scope: '${database}/colls/${name}'")
    expect(assignment).toContain('roleDefinitionId: replyWriter.id')
  })
})

describe('the apps of the template', () => {
  const apps = moduleText('app-service')

  it('start each role by exec, are always on, and have a health check (R173)', () => {
    expect(matches(apps, /^var roles = \[(.+)\]$/gm)).toEqual([roles.map((role) => `'${role}'`).join(', ')])
    const manifest = JSON.parse(read('package.json')) as { bin: { stepward: string } }
    expect(apps).toContain(`exec node ${workerNodeOptions.join(' ')} \${program} start --role \${role}`)
    expect(main, 'as installed').toContain(
      `param program string = 'node_modules/stepward/${manifest.bin.stepward}'`,
    )
    for (const size of ['small', 'production']) {
      const parameters = read(`infra/parameters/${size}.bicepparam`)
      expect(parameters, 'this repository itself').toContain(`param program = '${manifest.bin.stepward}'`)
    }
    for (const setting of ['alwaysOn: true', "healthCheckPath: '/healthz'", 'clientAffinityEnabled: false']) {
      expect(apps).toContain(setting)
    }
  })

  it('set only variables that a program reads', () => {
    const environment = read('src/connection/process-environment.ts') + read('src/connection/connection.ts')
    const platforms = ['SCM_DO_BUILD_DURING_DEPLOYMENT', 'APPLICATIONINSIGHTS_CONNECTION_STRING']
    for (const name of matches(apps, /\{ name: '(\w+)'/g)) {
      expect(platforms.includes(name) || environment.includes(name), name).toBe(true)
    }
  })
})

describe('the pipeline azure-pipelines.yml', () => {
  const pipeline = read('azure-pipelines.yml')

  it('runs only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const called = matches(pipeline, /npm run (?:--silent )?([\w:]+)/g)
    expect(called.length).toBeGreaterThan(3)
    for (const name of called) expect(Object.keys(scripts)).toContain(name)
  })

  it('leaves the start command and runtime of an app to the template', () => {
    expect(pipeline).not.toMatch(/startUpCommand|runtimeStack|appSettings/)
  })

  it('gets names and hosts of the apps from the deployment', () => {
    expect(main).toContain('output sites array = apps.outputs.sites')
    expect(moduleText('app-service')).toMatch(
      /^output sites array[^]*role: role, name: \S+\.name, host: \S+defaultHostName/m,
    )
    for (const variable of ['Name', 'Host']) {
      expect(pipeline).toContain(`variable=\${role}${variable}]`)
      expect(pipeline).toContain(`$(\${{ role }}${variable})`)
    }
    const pages = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'))
    for (const path of ['azure-pipelines.yml', 'README.md', ...pages.map((name) => `docs/${name}`)]) {
      expect(read(path), path).not.toMatch(/stepward[\w-]*\.(?:azurewebsites\.net|documents\.azure\.com)/)
    }
  })

  it('waits for a role longer than a role waits for its permissions', () => {
    const [, minutes] = /forbidden: '(\d+)m'/.exec(read('src/cli/running/run-host.ts')) ?? []
    for (const path of ['azure-pipelines.yml', 'docs/deploy.md']) {
      const [, retries, delay] = /--retry (\d+) --retry-delay (\d+) .*readyz/.exec(read(path)) ?? []
      expect(Number(retries) * Number(delay), path).toBeGreaterThan(60 * Number(minutes))
    }
  })

  it('deploys every role with the same package, readers before writers', () => {
    expect(pipeline).toContain("split('notifier,supervisor,agents,scheduler', ',')")
    expect(matches(pipeline, /package: (.*)$/gm)).toEqual(['$(Pipeline.Workspace)/app/app.zip'])
    expect(pipeline).toMatch(/environment: \S+/)
  })

  it('simulates at night only, within the time limit of its job', () => {
    const stage = /^ {2}- stage: simulate\n(.*?)^ {2}- stage/msu.exec(pipeline)?.[1] ?? ''
    expect(stage).toContain("condition: eq(variables['Build.Reason'], 'Schedule')")
    expect(pipeline).toMatch(/^schedules:\n {2}- cron: /mu)
    const [limit] = matches(stage, /timeoutInMinutes: (\d+)/gu).map(Number)
    const [minutes] = matches(stage, /npm run simulate -- --minutes (\d+)/gu).map(Number)
    expect(minutes).toBeLessThan(limit ?? 0)
  })

  it('names only existing stages and files', () => {
    const stages = matches(pipeline, /^ {2}- stage: (\w+)/gm)
    const needed = matches(pipeline, /dependsOn: \[(.*)\]/g).flatMap((list) =>
      list.split(', ').filter(Boolean),
    )
    expect(stages).toEqual(expect.arrayContaining(needed))
    for (const file of matches(pipeline, /Pipeline\.Workspace\)\/(infra\/[\w/.]+)/g))
      expect(read(file)).not.toBe('')
  })
})
