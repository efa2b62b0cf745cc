/** Further exports of this room, for use only inside the library. */
export { serveAccount } from './doors/account-server.js'
export { attachAccount, isAccountOpen, type AttachedAccount } from './doors/attached-account.js'
export { AdminRefusal, callAdmin } from './doors/admin-client.js'
export { accountKeyRule, isAccountKey, wellKnownKey } from './doors/account-key.js'
export { CosmosEngine } from './engine/index.js'
