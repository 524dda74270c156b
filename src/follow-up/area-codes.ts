/**
 * Where in a state with several time zones a person lives, judging by the area code of their phone number. An area code
 * from another state says nothing, since people keep their number when they move, and they told us the state.
 */

import type { DayPart } from '../platform/time.ts'

/** Where a person lives, as far as we know, and when they like to be called. */
export type Place = {
  /** Its code, as in `leads/body/states.ts`; null if it is not known. */
  state: string | null
  /** In E.164; null if there is no number, or if it could not be read. */
  phoneE164: string | null
  /** Another number that they gave later, in E.164. */
  latestPhone?: string | null | undefined
  /** The best time to call, as they answered in a form; absent if no form asked. */
  bestTime?: DayPart | null | undefined
}

/** Everyone in a state or only people whose numbers have these area codes. Null: people whose state is not known. */
export type Area = { state: string | null; areaCodes: readonly string[] | null }

/**
 * The area codes that lie in one time zone of their state. An area code that two zones share is left out, even if few
 * people live beyond the border: 850 lies in both zones of Florida, and 402 reaches from Omaha into the west of
 * Nebraska.
 */
const areaCodes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AZ: { 'America/Phoenix': '480 520 602 623' },
  FL: { 'America/New_York': '239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954' },
  IN: { 'America/Indiana/Indianapolis': '260 317 463 765' },
  KS: { 'America/Chicago': '316 913' },
  KY: { 'America/Kentucky/Louisville': '502 859' },
  MI: { 'America/Detroit': '231 248 269 313 517 586 616 679 734 810 947 989' },
  NV: { 'America/Los_Angeles': '702 725' },
  OR: { 'America/Los_Angeles': '503 971' },
  TN: { 'America/Chicago': '615 629 731 901 931', 'America/New_York': '865' },
  TX: {
    'America/Chicago':
      '210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979',
    'America/Denver': '915',
  },
}

const byState = new Map(
  Object.entries(areaCodes).map(([state, zones]) => [
    state,
    Object.entries(zones).map(([zone, codes]) => ({ zone, codes: codes.split(' ') })),
  ]),
)

/** The area codes of a state that lie in one of its time zones, by zone. */
export const areaCodesOf = (state: string | null): readonly { zone: string; codes: readonly string[] }[] =>
  byState.get(state ?? '') ?? []

/**
 * The time zone of the state to which all numbers of a person point, and the area code that says so. Undefined if the
 * numbers do not agree, or the area code of one of them does not tell the zone.
 */
export function zoneByPhone({ state, phoneE164, latestPhone }: Place): { zone: string; areaCode: string } | undefined {
  const areaCode = areaCodeOf(phoneE164)
  const later = areaCodeOf(latestPhone ?? phoneE164)
  const area = areaCodesOf(state).find(({ codes }) => codes.includes(areaCode) && codes.includes(later))
  return area && { zone: area.zone, areaCode }
}

/** The area code of a number in North America; empty for any other number. */
const areaCodeOf = (phoneE164: string | null): string => /^\+1(\d{3})/.exec(phoneE164 ?? '')?.[1] ?? ''

/** The prefixes of the numbers of an area, in E.164. */
export const numbersBegin = (codes: readonly string[]): string[] => codes.map(code => `+1${code}`)

/** Whether all numbers of a person in that state are in the area. */
export function isIn({ state, phoneE164, latestPhone }: Place, area: Area): boolean {
  if (state !== area.state) return false
  if (area.areaCodes === null) return true
  const begin = numbersBegin(area.areaCodes)
  return [phoneE164, latestPhone ?? phoneE164].every(phone => begin.some(one => phone?.startsWith(one)))
}
