/** New secrets, and how the database stores secrets that others have. */
import { hash, randomBytes } from 'node:crypto'

/** 256 random bits, as text that can be part of a URL. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The hash of a secret, by which the database finds it. Such secrets are random enough to need no slow hash. */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url')
