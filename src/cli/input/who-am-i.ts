export { whoAmI } from '../../platform/internal.js'
