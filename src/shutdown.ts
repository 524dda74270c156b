/**
 * How long the service takes from SIGTERM to its end, in milliseconds: less than the 10 seconds after
 * which Docker kills a container. Nothing is lost when the time is up: a submission that was accepted
 * is stored, and a claimed task is free again after its lease.
 */
import { SECOND } from './platform/time.ts'

/** Connections in use get this long to learn, from the header of a response, that they end. */
const drainDelay = 0.5 * SECOND

/**
 * The requests under way, the drain delay included: more than the 3 seconds that a request may wait
 * for PostgreSQL. One that waits for a stalled disk is cut off.
 */
const requests = 5 * SECOND

/** The tasks under way, such as an email that is being sent. What is not finished is released. */
const tasks = 8 * SECOND

/** The message from the watched mailbox that is being handled. */
const mailbox = 1.5 * SECOND

/** Then, the connections to PostgreSQL. */
const database = 1 * SECOND

/** For everything that has no deadline of its own, such as the connection to the mail server. */
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
