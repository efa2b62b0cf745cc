import { lookupCharge } from '../../engine/index.js'
import { longestQuery, mostJoins } from '../../query/language/query-limits.js'
import type { Answer } from '../../messages/rest-message.js'
import type { RouteContext } from './context.js'

/**
 * Returns the account document. Its locations contain the address that the client used, so that endpoint
 * discovery does not redirect the client. The id must not be `localhost`, because with that id, the SDK reads
 * the account before every request.
 */
export function readAccount({ request }: RouteContext): Answer {
  const location = { name: 'Embedded', databaseAccountEndpoint: `${request.origin}/` }
  const account = {
    _self: '',
    id: 'stepward-embedded',
    _rid: 'stepward-embedded.documents.azure.com',
    media: '//media/',
    addresses: '//addresses/',
    _dbs: '//dbs/',
    writableLocations: [location],
    readableLocations: [location],
    enableMultipleWriteLocations: false,
    enablePerPartitionFailoverBehavior: false,
    userReplicationPolicy: { asyncReplication: false, minReplicaSetSize: 1, maxReplicasetSize: 1 },
    userConsistencyPolicy: { defaultConsistencyLevel: 'Session' },
    systemReplicationPolicy: { minReplicaSetSize: 1, maxReplicasetSize: 1 },
    readPolicy: { primaryReadCoefficient: 1, secondaryReadCoefficient: 1 },
    queryEngineConfiguration: JSON.stringify({
      maxSqlQueryInputLength: longestQuery,
      maxJoinsPerSqlQuery: mostJoins,
      maxInExpressionItemsCount: 16_000,
    }),
  }
  return { status: 200, body: JSON.stringify(account), charge: lookupCharge }
}
