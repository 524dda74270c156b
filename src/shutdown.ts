/**
 * How long the service takes from SIGTERM to its end, in milliseconds: less than the 10 seconds after which Docker
 * kills a container. When the time is up, nothing is lost: a submission that was accepted is stored, and a claimed task
 * becomes free after its lease.
 */
import { SECOND } from './platform/time.ts'

/** How long connections in use can learn, from the header of a response, that they end. */
const drainDelay = 0.5 * SECOND

/**
 * For the requests under way, including the drain delay. It is more than the 3 seconds that a request may wait for
 * PostgreSQL. A request that waits for a stalled disk is cut off.
 */
const requests = 5 * SECOND

/** For the tasks under way, such as sending an email. Tasks that are not finished are released. */
const tasks = 8 * SECOND

/** For the message from the watched mailbox that is being handled. */
const mailbox = 1.5 * SECOND

/** Then, the connections to PostgreSQL. */
const database = 1 * SECOND

/** For everything without a deadline of its own, such as the connection to the mail server. */
const margin = 0.8 * SECOND

export const shutdown = {
  drainDelay,
  requests,
  tasks,
  mailbox,
  database,
  /** Requests, tasks and mailbox end at the same time, then the database. After this, we exit anyway. */
  total: Math.max(requests, tasks, mailbox) + database + margin,
}
