export * from './sas/index.js'
export { connect, startHost } from './host/index.js'
