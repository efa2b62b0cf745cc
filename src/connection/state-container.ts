import type { ContainerRole } from '../../lease-store/internal.js'

export const stateContainerRole: ContainerRole<'state'> = {
  name: 'state',
  partitionKeys: ['/pk'],
  indexedPaths: [
    '/type/?',
    '/processState/?',
    '/completeByMs/?',
    '/submittedAtMs/?',
    '/jobId/?',
    '/workflow/?',
    '/actor/?',
    '/attention/kind/?',
    '/attention/since/?',
    '/asked/since/?',
    '/paused/since/?',
    '/orderId/?',
    '/priority/?',
    '/operatedAtMs/?',
    '/tags/*',
  ],
  breaks: {
    ifOtherKey: 'so a job and its steps cannot be written together',
    // I18: unfinished work never expires.
    ifDeleting: 'including jobs that have not ended',
    ifTtlOff: 'so jobs that have ended are kept forever',
    ifFullyIndexed: 'so each write costs more',
  },
}
