/** The time zones of a student's state. */

const eastern = ['America/New_York']
const central = ['America/Chicago']
const mountain = ['America/Denver']
const pacific = ['America/Los_Angeles']
const alaska = ['Anchorage', 'Juneau', 'Sitka', 'Metlakatla', 'Yakutat', 'Nome', 'Adak']
const indiana = [
  'Indianapolis',
  'Knox',
  'Marengo',
  'Petersburg',
  'Tell_City',
  'Vevay',
  'Vincennes',
  'Winamac',
]
const northDakota = ['Beulah', 'Center', 'New_Salem']

/**
 * All zones of the IANA time zone database in which a part of the state lies; first the one in which
 * most of its people live.
 */
const zones: Readonly<Record<string, readonly string[]>> = {
  AL: central,
  AK: alaska.map(place => `America/${place}`),
  AS: ['Pacific/Pago_Pago'],
  // The Navajo Nation changes its clocks, the rest of Arizona does not.
  AZ: ['America/Phoenix', ...mountain],
  AR: central,
  CA: pacific,
  CO: mountain,
  CT: eastern,
  DC: eastern,
  DE: eastern,
  FL: [...eastern, ...central],
  GA: eastern,
  GU: ['Pacific/Guam'],
  HI: ['Pacific/Honolulu'],
  IA: central,
  ID: ['America/Boise', ...pacific],
  IL: central,
  IN: [...indiana.map(place => `America/Indiana/${place}`), ...central],
  KS: [...central, ...mountain],
  KY: ['America/Kentucky/Louisville', 'America/Kentucky/Monticello', ...eastern, ...central],
  LA: central,
  MA: eastern,
  MD: eastern,
  ME: eastern,
  MI: ['America/Detroit', 'America/Menominee'],
  MN: central,
  MO: central,
  MP: ['Pacific/Guam'],
  MS: central,
  MT: mountain,
  NC: eastern,
  ND: [...central, ...northDakota.map(place => `America/North_Dakota/${place}`), ...mountain],
  NE: [...central, ...mountain],
  NH: eastern,
  NJ: eastern,
  NM: mountain,
  // West Wendover keeps the time of Utah.
  NV: [...pacific, ...mountain],
  NY: eastern,
  OH: eastern,
  OK: central,
  // Most of Malheur County keeps the time of Boise.
  OR: [...pacific, 'America/Boise'],
  PA: eastern,
  PR: ['America/Puerto_Rico'],
  RI: eastern,
  SC: eastern,
  SD: [...central, ...mountain],
  TN: [...central, ...eastern],
  TX: [...central, ...mountain],
  UT: mountain,
  VA: eastern,
  VI: ['America/St_Thomas'],
  VT: eastern,
  WA: pacific,
  WI: central,
  WV: eastern,
  WY: mountain,
}

/** The codes of all states in the table. */
export const builtInStates: readonly string[] = Object.keys(zones)

/**
 * The zones of the state with this code (as in `leads/states.ts`), never none. The operator's own
 * table comes first; without a state, or for one in neither table, it is the fallback zone.
 */
export const zonesOfState = (
  code: string | null,
  own: Readonly<Record<string, readonly string[]>>,
  fallback: string,
): readonly string[] => (code === null ? undefined : (own[code] ?? zones[code])) ?? [fallback]
