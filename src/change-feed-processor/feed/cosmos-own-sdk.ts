/**
 * The parts of the SDK that this package itself makes clients with. The build puts them into its own files
 * (ADR 0074), so they are another copy than the one that users import. All other code imports only types from
 * the SDK, or the copy of users.
 */
export { ChangeFeedStartFrom, Container, CosmosClient } from '@azure/cosmos'
