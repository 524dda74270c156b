/** New secrets. */
import { randomBytes } from 'node:crypto'

/** 256 random bits, as text that can be part of a URL. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
