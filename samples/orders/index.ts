/**
 * The agents and the workflow of this sample, for `stepward dev`, `stepward start --agents` and `stepward
 * submit --workflows`.
 */
export { inventory, payments, shipping } from './agents.js'
export { orderFulfilment } from './workflow.js'
