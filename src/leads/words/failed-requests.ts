/** The alarm about requests that fail, in sentences for the admins. */
import { HOUR } from '../../platform/time.ts'

export const failedRequests = {
  cause: 'failed requests',
  title: 'A request failed.',
  text: 'A request failed because of an error on our side. If it was an inquiry, it was not stored, and its sender was told so. The log says why.',
  path: '/',
}

/** The alarm is over once no request has failed for this long, in milliseconds. */
export const FAILED_OVER_AFTER = HOUR
