// Three things a person must hear of: a job that waits for a decision, a store that throttles, an app that is ill.
param name string
param location string
param alertEmail string
param workspaceId string
param accountId string
param siteIds array

resource operators 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: '${name}-operators'
  location: 'global'
  properties: {
    groupShortName: 'stepward'
    enabled: true
    emailReceivers: empty(alertEmail) ? [] : [{ name: 'operators', emailAddress: alertEmail, useCommonAlertSchema: true }]
  }
}

// Every app writes its events as JSON lines to the console; this one is written when a job is flagged.
resource attention 'Microsoft.Insights/scheduledQueryRules@2023-03-15-preview' = {
  name: '${name}-attention'
  location: location
  properties: {
    description: 'A job needs a decision: see "stepward list --state Error".'
    severity: 1
    enabled: true
    scopes: [workspaceId]
    // The table does not exist yet: the first line that an app writes creates it.
    skipQueryValidation: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT5M'
    criteria: {
      allOf: [
        {
          query: 'AppServiceConsoleLogs | where ResultDescription has "attention.raised"'
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
          failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
        }
      ]
    }
    actions: { actionGroups: [operators.id] }
  }
}

resource throttled 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: '${name}-throttled'
  location: 'global'
  properties: {
    description: 'Cosmos DB refuses requests (429): raise the throughput of the container that is hot.'
    severity: 2
    enabled: true
    scopes: [accountId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          name: 'throttled requests'
          criterionType: 'StaticThresholdCriterion'
          metricName: 'TotalRequests'
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 100
          dimensions: [{ name: 'StatusCode', operator: 'Include', values: ['429'] }]
        }
      ]
    }
    actions: [{ actionGroupId: operators.id }]
  }
}

resource unhealthy 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for (siteId, index) in siteIds: {
    name: '${name}-unhealthy-${index}'
    location: 'global'
    properties: {
      description: 'Instances of an app do not answer /healthz: look at its log stream.'
      severity: 1
      enabled: true
      scopes: [siteId]
      evaluationFrequency: 'PT1M'
      windowSize: 'PT5M'
      criteria: {
        'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
        allOf: [
          {
            name: 'health'
            criterionType: 'StaticThresholdCriterion'
            metricName: 'HealthCheckStatus'
            timeAggregation: 'Average'
            operator: 'LessThan'
            threshold: 100
          }
        ]
      }
      actions: [{ actionGroupId: operators.id }]
    }
  }
]

resource consoleLogs 'Microsoft.Web/sites@2024-04-01' existing = [
  for siteId in siteIds: {
    name: last(split(siteId, '/'))
  }
]

resource siteDiagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = [
  for (siteId, index) in siteIds: {
    scope: consoleLogs[index]
    name: 'to-workspace'
    properties: { workspaceId: workspaceId, logs: [{ category: 'AppServiceConsoleLogs', enabled: true }] }
  }
]
