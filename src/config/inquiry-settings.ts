/** The settings of inquiries: which answers we accept, and how we recognize spam. */
import type { RankedField } from '../leads/body/body-schemas.ts'
import { type Signal, signals } from '../leads/body/screening.ts'
import { Group, noDefault, OptionalGroup, setting } from './setting.ts'
import { answerLabels, answers, stateOf } from './setting-shapes.ts'
import { under } from './setting-topics.ts'
import { integer, oneOf, recordOf } from './shape.ts'

const forms = under('forms')
const spam = under('spam')

const question = (name: string) =>
  new OptionalGroup(
    forms(`Question: ${name}`, 'The answers that students choose from, and which end of the scale is the warmer lead.'),
    {
      allowed: noDefault(answers, 'Answers'),
      hotter: noDefault(oneOf('low', 'high'), 'Warmer'),
      labels: noDefault(answerLabels, 'In other languages'),
    },
  )

const weight = (signal: Signal, name: string) => setting(integer(0, 10), signals[signal].weight, name)

export const siteInquirySettings = {
  honeypot: setting(
    oneOf('reject', 'accept'),
    'reject',
    spam(
      'The hidden field',
      'Programs that send spam fill it in. reject: they get an error; accept: they notice nothing. Both are quarantined.',
    ),
  ),
}

export const studentInquirySettings = {
  states: setting(
    recordOf(stateOf),
    {},
    forms('Other states', 'States outside the United States that students can choose, each with its code.'),
  ),
  answers: {
    timeline: question('start'),
    interestLevel: question('interest'),
    experience: question('experience'),
    source: question('source'),
  } satisfies Record<RankedField, unknown>,
}

export const screeningSettings = {
  threshold: setting(
    integer(1, 100),
    3,
    spam('Limit', 'An inquiry is quarantined when its signs of spam add up to this.'),
  ),
  weights: new Group(spam('Signs of spam', 'How much each sign counts. 0: not at all.'), {
    tooFast: weight('tooFast', 'Sent within 3 seconds'),
    tooOld: weight('tooOld', 'Started more than a day before'),
    ahead: weight('ahead', 'Clock of the sender is ahead'),
    links: weight('links', 'Three or more links'),
    disposable: weight('disposable', 'Disposable email address'),
    sharedText: weight('sharedText', 'Same message from three or more addresses'),
  } satisfies Record<Signal, unknown>),
}
