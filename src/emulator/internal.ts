/** Further exports of this room, for use only inside the library. */
export { serveAccount } from './doors/account-server.js'
export { AdminRefusal, callAdmin } from './doors/admin-client.js'
export { accountKeyRule, isAccountKey, wellKnownKey } from './doors/account-key.js'
export { CosmosEngine, noJournal } from './engine/index.js'
