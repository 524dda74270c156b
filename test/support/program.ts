/** The command that tests start as a process of its own. */
import { fileURLToPath } from 'node:url'

const ours = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export const SOURCE: string = ours('bin/frontdesk.js')

/** In a whole run the bundle, from which the image is made; in a run of single files the source. */
export const program = (): string => process.env['TEST_PROGRAM'] ?? SOURCE
