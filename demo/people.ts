/** Invented people and what they write. Everything is drawn from a seed, so each demo shows the same month. */

import { checkSettings } from '../src/config/settings.ts'
import { createCalendar } from '../src/follow-up/calendar.ts'
import { HOUR, SECOND } from '../src/platform/time.ts'
import { demoSettings } from './settings.ts'

/** A generator of numbers from 0 to below 1 (mulberry32), so that everything can be repeated. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Draw = {
  one<T>(from: readonly T[]): T
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number
  /** Whether something happens that does so in this share of cases. */
  chance(share: number): boolean
}

export function drawFrom(seed: number): Draw {
  const next = numbersFrom(seed)
  return {
    one: from => from[Math.floor(next() * from.length)] as (typeof from)[number],
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: share => next() < share,
  }
}

const firstNames =
  'Aaliyah Adrian Alicia Amara Andre Angela Anh Bianca Brandon Camila Carlos Carmen Chloe Daniela Darnell David Destiny Diego Elena Emily Ethan Fatima Gabriel Grace Hannah Ibrahim Isabel Jada Jamal James Jasmine Javier Jordan José Julia Kayla Kevin Kimberly Latoya Laura Layla Leah Luis Malik Marcus María Maya Megan Miguel Mina Monique Natalie Nia Noah Nora Olivia Omar Paola Patricia Priya Rachel Renée Ricardo Robert Rosa Samuel Sarah Sean Sofía Tamika Thuy Tiffany Trevor Tyler Valeria Victoria Vincent Wei Xavier Yesenia Zoe'.split(
    ' ',
  )
const lastNames =
  'Adams Alvarez Anderson Baker Brooks Brown Butler Campbell Castillo Chen Clark Collins Cruz Davis Díaz Edwards Evans Flores Foster Garcia Gomez Gonzalez Gray Green Hall Harris Henderson Hernandez Hughes Jackson Jenkins Johnson Jones Kelly Kim Kowalski Le Lee Lewis Lopez Martinez Mitchell Moore Morales Murphy Nguyen O’Brien Ortiz Osei Parker Patel Perez Phillips Powell Price Ramirez Reed Reyes Rivera Roberts Robinson Rodriguez Rogers Ruiz Sanchez Scott Singh Smith Stewart Taylor Thomas Thompson Torres Tran Turner Walker Ward Washington Watson White Williams Wilson Wood Wright Young Zhang'.split(
    ' ',
  )
const cities = {
  TX: ['Austin', 'San Antonio', 'Houston', 'Dallas', 'El Paso', 'Waco', 'Round Rock', 'Killeen'],
  OK: ['Tulsa', 'Oklahoma City', 'Norman'],
  LA: ['Shreveport', 'Baton Rouge'],
  NM: ['Las Cruces', 'Albuquerque'],
  AR: ['Little Rock', 'Texarkana'],
} as const
const employers = [
  'Seton Medical Center',
  'H-E-B',
  'Whataburger',
  'Target',
  'a dental office',
  'Amazon',
  'St. David’s HealthCare',
  'Starbucks',
  'US Army',
  'Walgreens',
  'a nursing home',
]
const studentMessages = [
  'Do you have evening or weekend classes? I work full time and cannot give up my job yet.',
  'How much does the program cost in total, and is there a payment plan?',
  'I was a sterile processing tech for two years. Does any of that count toward the program?',
  'When does the next class start? I would like to begin as soon as possible.',
  'Is the program accredited, and can I sit for the CST exam afterward?',
  'My sister finished with you last year and now works at Seton. I want to do the same!',
  'I have two kids in school. How many hours a week should I plan for, honestly?',
  'Can I use the GI Bill? I get out of the Army in March.',
  'Do you help with finding a clinical site? I live about an hour outside the city.',
  'I started a nursing program but had to stop. Would my anatomy credits transfer?',
  'Is it all online or do I have to come in for labs?',
  'Please call me after 3 pm, I work mornings.',
  'What do I need besides a high school diploma? I got my GED in 2021.',
  'Do you offer financial aid for people who do not have good credit?',
  '',
  '',
]
const companies = [
  'Mercy Surgical Center',
  'Hill Country Memorial',
  'Lone Star Orthopedics',
  'Bluebonnet Day Surgery',
  'Travis County Hospital',
  'Red River Medical',
  'Gulf Coast Surgical Partners',
  'Pecan Valley Clinic',
  'Panhandle Regional',
  'Three Rivers Eye Institute',
  'Cedar Park Outpatient Surgery',
  'Rio Grande Women’s Hospital',
]
const siteMessages = [
  'We could host two students this spring, mornings only. Who do I talk to about an affiliation agreement?',
  'Our OR is short on techs. Do you have graduates who are looking for a first position?',
  'We would like to become a clinical site. What insurance do your students carry?',
  'Interested in hosting one student per term in our ambulatory surgery center.',
  'Our last agreement with you has expired. Could you send a new one for signature?',
]

const phoneOf = (draw: Draw) => {
  const number = `${draw.one(['512', '210', '713', '405', '318', '915'])}-555-01${draw.whole(10, 99)}`
  return draw.chance(0.4) ? number.replace(/^(\d+)-/, '($1) ') : number
}

const mailName = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')

export function aStudent(draw: Draw, number: number) {
  const [firstName, lastName] = [draw.one(firstNames), draw.one(lastNames)]
  const state = draw.chance(0.75) ? 'TX' : draw.one(['OK', 'LA', 'NM', 'AR'] as const)
  const host = draw.one(['gmail.example', 'yahoo.example', 'outlook.example', 'icloud.example'])
  return {
    firstName,
    lastName,
    email: `${mailName(firstName)}.${mailName(lastName)}${number}@${host}`,
    phone: phoneOf(draw),
    city: draw.one(cities[state]),
    state,
    interestLevel: draw.one([
      '1 - Ready to enroll',
      '1 - Ready to enroll',
      '2 - Comparing schools',
      '2 - Comparing schools',
      '3 - Just looking',
    ]),
    timeline: draw.one([
      '1 - Right away',
      '2 - Within three months',
      '2 - Within three months',
      '3 - Within six months',
      '4 - Later',
    ]),
    source: draw.one([
      '1 - Search engine',
      '1 - Search engine',
      '2 - Social media',
      '3 - A friend or relative',
      '4 - My employer',
    ]),
    ...(draw.chance(0.5) && { employer: draw.one(employers) }),
    message: draw.one(studentMessages),
    idempotencyKey: `demo-student-${number}`,
  }
}

/** What the form of a student knows of where they came from; undefined if an agent wrote for them. */
export function originOf(source: string, number: number): Record<string, string> | undefined {
  if (number % 6 === 5) return undefined
  const page = 'https://www.capitalschool.example/surgical-technology'
  const campaign = number % 2 === 0 ? { utm_campaign: 'spring-2027' } : {}
  if (source.startsWith('1')) return { page, utm_source: 'google', ...campaign }
  if (source.startsWith('2')) return { page, utm_source: number % 3 === 0 ? 'instagram' : 'facebook', ...campaign }
  return source.startsWith('3') ? { page } : { page, utm_source: 'hospital flyer' }
}

export function aSite(draw: Draw, number: number, now: number) {
  const [firstName, lastName] = [draw.one(firstNames), draw.one(lastNames)]
  const company = draw.one(companies)
  return {
    firstName,
    lastName,
    email: `${mailName(firstName)}${number}@${mailName(company)}.example`,
    phone: phoneOf(draw),
    company,
    address: `${draw.whole(100, 9900)} ${draw.one(['Main Street', 'Oak Avenue', 'Hospital Drive'])}, ${draw.one(cities.TX)}, TX 787${draw.whole(10, 59)}`,
    message: draw.one(siteMessages),
    website: '',
    startedAt: now - 90_000,
  }
}

/** Someone who always has a conversation, for the tests and the pictures. */
export const jordan = {
  firstName: 'Jordan',
  lastName: 'Castillo',
  email: 'jordan.castillo@gmail.example',
  phone: '(512) 555-0163',
  city: 'Marble Falls',
  state: 'TX',
  interestLevel: '1 - Ready to enroll',
  timeline: '1 - Right away',
  source: '3 - A friend or relative',
  employer: 'a dental office',
  message:
    'I live in Marble Falls and work as a dental assistant. Is there a class in the evening, and could I see the school first?',
  idempotencyKey: 'demo-jordan',
}

/** What screening and the honeypot quarantine; no one has decided about it yet. */
export function spam(end: number) {
  const phone = '512-555-0147'
  const links = 'https://rank.example/a https://rank.example/b https://rank.example/c'
  const offer = { firstName: 'Growth', lastName: 'Team', phone, address: '1 Web Way, Austin, TX' }
  const site = (hours: number, body: Record<string, unknown>, seconds: number) => {
    return {
      at: end - hours * HOUR,
      /** As it is sent at this moment, which may be later. */
      bodyAt: (now: number) => ({ ...offer, ...body, startedAt: now - seconds * SECOND }),
    }
  }
  return [
    site(
      31,
      {
        email: 'team@rank.example',
        company: 'Rank Higher',
        message: `We bring surgical schools to the top of every search. See ${links}`,
        website: '',
      },
      1,
    ),
    site(
      20,
      {
        email: 'hello@leads.example',
        company: 'Lead Lists',
        message: 'Buy 50,000 fresh contacts of nurses in Texas today.',
        website: 'https://leads.example',
      },
      2,
    ),
    // Probably real: someone who pasted the pages that they had read.
    site(
      7,
      {
        firstName: 'Ellen',
        lastName: 'Marsh',
        email: 'e.marsh@pecanvalley.example',
        company: 'Pecan Valley Clinic',
        message:
          'We read https://www.arcstsa.example/sites and your pages www.school.example/sites and www.school.example/agreement. Could we host one student from January?',
        website: '',
      },
      2,
    ),
  ]
}

const abroad = [
  { state: 'TX', city: 'Austin', phone: '(512) 555-0171', message: 'Could someone call me about the next class?' },
  {
    state: 'HI',
    city: 'Honolulu',
    phone: '(808) 555-0172',
    message: 'We move to Austin in May. When do classes start?',
  },
  {
    state: 'AP',
    city: 'Yokosuka',
    phone: '(360) 555-0173',
    message: 'I leave the Navy in spring and come home to Killeen. Does the GI Bill cover the program?',
  },
  {
    state: 'AE',
    city: 'Kaiserslautern',
    phone: '(254) 555-0174',
    message: 'My husband is stationed in Germany, and we come back to Fort Cavazos in June. Can I start online?',
  },
]
const names = [
  ['Keoni', 'Kahale'],
  ['Dolores', 'Vega'],
  ['Marcus', 'Bell'],
] as const

/** People who may be called at that moment, whatever the hour is: someone in these places always may. */
export function callable(now: number) {
  const calendar = createCalendar(checkSettings(demoSettings).settings)
  const open = abroad.filter(({ state }) => calendar.callWindow({ state, phoneE164: null }, now).open)
  return names.map(([firstName, lastName], i) => ({
    ...open[i % open.length],
    firstName,
    lastName,
    email: `${mailName(firstName)}.${mailName(lastName)}@gmail.example`,
    interestLevel: '1 - Ready to enroll',
    timeline: '1 - Right away',
    idempotencyKey: `demo-callable-${i}`,
  }))
}

/** Someone who called and left only a number. */
export const caller = {
  kind: 'student',
  firstName: 'Rosalind',
  lastName: 'Okoye',
  phone: '(512) 555-0175',
  message: 'Called during lunch. Has no email. Wants to know about evening classes.',
}
