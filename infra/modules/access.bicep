// Data-plane roles, as narrow as the roles of the pattern allow. These are not IAM roles: Contributor gives no access
// to data, and none of these may create containers. The account takes one change of its roles at a time and answers 412
// to a second one, so each change depends on the one before.
param accountName string

@description('role (scheduler, agents, supervisor, notifier) and principalId of each app.')
param principals array

@description('Containers that a replyTo names as container:NAME.')
param replyContainers array

resource account 'Microsoft.DocumentDB/databaseAccounts@2024-05-15' existing = {
  name: accountName
}

var metadata = 'Microsoft.DocumentDB/databaseAccounts/readMetadata'
var items = 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items'
var container = 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers'

// Reads the feed and every document, writes on condition; deletes nothing.
resource stateWorker 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2024-05-15' = {
  parent: account
  name: guid(account.id, 'stepward-state-worker')
  properties: {
    roleName: 'stepward state worker'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [
      {
        dataActions: [
          metadata
          '${container}/readChangeFeed'
          '${container}/executeQuery'
          '${items}/read'
          '${items}/create'
          '${items}/replace'
          '${items}/upsert'
        ]
      }
    ]
  }
}

resource leaseHolder 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2024-05-15' = {
  parent: account
  dependsOn: [stateWorker]
  name: guid(account.id, 'stepward-lease-holder')
  properties: {
    roleName: 'stepward lease holder'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [
      {
        dataActions: [
          metadata
          // Every query of the SDK needs both of these rights.
          '${container}/readChangeFeed'
          '${container}/executeQuery'
          '${items}/read'
          '${items}/create'
          '${items}/replace'
          '${items}/delete'
        ]
      }
    ]
  }
}

var database = '${account.id}/dbs/stepward'

@batchSize(1)
resource onState 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-05-15' = [
  for principal in principals: {
    parent: account
    dependsOn: [replyWriter]
    name: guid(account.id, principal.role, 'state')
    properties: {
      principalId: principal.principalId
      roleDefinitionId: stateWorker.id
      scope: '${database}/colls/state'
    }
  }
]

@batchSize(1)
resource onLeases 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-05-15' = [
  for principal in principals: {
    parent: account
    dependsOn: [onState]
    name: guid(account.id, principal.role, 'leases')
    properties: {
      principalId: principal.principalId
      roleDefinitionId: leaseHolder.id
      scope: '${database}/colls/leases'
    }
  }
]

// What is set aside may hold anything and is looked at by people: the built-in Data Contributor, on that container alone.
@batchSize(1)
resource onDeadLetter 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-05-15' = [
  for principal in principals: {
    parent: account
    dependsOn: [onLeases]
    name: guid(account.id, principal.role, 'deadletter')
    properties: {
      principalId: principal.principalId
      roleDefinitionId: '${account.id}/sqlRoleDefinitions/00000000-0000-0000-0000-000000000002'
      scope: '${database}/colls/deadletter'
    }
  }
]

// Puts replies into a container of the user's own, and sees nothing of it.
resource replyWriter 'Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions@2024-05-15' = {
  parent: account
  dependsOn: [leaseHolder]
  name: guid(account.id, 'stepward-reply-writer')
  properties: {
    roleName: 'stepward reply writer'
    type: 'CustomRole'
    assignableScopes: [account.id]
    permissions: [
      {
        dataActions: [
          metadata
          '${items}/create'
          '${items}/upsert'
        ]
      }
    ]
  }
}

@batchSize(1)
resource onReplies 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-05-15' = [
  for name in replyContainers: {
    parent: account
    dependsOn: [onDeadLetter]
    name: guid(account.id, 'notifier', 'reply', name)
    properties: {
      principalId: filter(principals, principal => principal.role == 'notifier')[0].principalId
      roleDefinitionId: replyWriter.id
      scope: '${database}/colls/${name}'
    }
  }
]
