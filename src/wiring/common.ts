/** The dependencies of most parts of the service. */
import type { Logger } from 'pino'
import type { Services } from '../lead-actions/services.ts'

export type Common = Omit<Services, 'addressees' | 'changed'> & { log: Logger }
