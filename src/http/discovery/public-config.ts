import type { Config } from '../../config/config.ts'

/** The part of the configuration that the public documents are made from. */
export type PublicConfig = Pick<Config, 'baseUrl' | 'learnUrl' | 'settings'>
