/** Recording that a person who wrote back needs no answer: the reminders to answer them stop. */
import { actedOn, andTell, type LeadAction } from './services.ts'

export const needNoAnswer: LeadAction = (services, lead, _, by) =>
  andTell(services, services.store.needNoAnswer(lead.id, actedOn(services, by, { detail: 'no answer needed' })))
