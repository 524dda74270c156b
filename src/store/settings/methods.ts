/** The store methods about secrets. */
export { getOrCreateLinkSecret, getOrCreateSecret } from './secrets.ts'
