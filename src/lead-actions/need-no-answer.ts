/** Recording that a person who wrote back needs no answer: the reminders about it stop. */
import { actedOn, andTell, type LeadAction } from './services.ts'

export const needNoAnswer: LeadAction = (services, lead, _, by) =>
  andTell(services, services.store.needNoAnswer(lead.id, actedOn(services, by, { detail: 'no answer needed' })))
