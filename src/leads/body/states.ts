/** State names and their codes: the United States, its district and territories (USPS Publication 28). */
const names: Record<string, string> = {
  alabama: 'AL',
  alaska: 'AK',
  'american samoa': 'AS',
  arizona: 'AZ',
  arkansas: 'AR',
  california: 'CA',
  colorado: 'CO',
  connecticut: 'CT',
  delaware: 'DE',
  'district of columbia': 'DC',
  florida: 'FL',
  georgia: 'GA',
  guam: 'GU',
  hawaii: 'HI',
  idaho: 'ID',
  illinois: 'IL',
  indiana: 'IN',
  iowa: 'IA',
  kansas: 'KS',
  kentucky: 'KY',
  louisiana: 'LA',
  maine: 'ME',
  maryland: 'MD',
  massachusetts: 'MA',
  michigan: 'MI',
  minnesota: 'MN',
  mississippi: 'MS',
  missouri: 'MO',
  montana: 'MT',
  nebraska: 'NE',
  nevada: 'NV',
  'new hampshire': 'NH',
  'new jersey': 'NJ',
  'new mexico': 'NM',
  'new york': 'NY',
  'north carolina': 'NC',
  'north dakota': 'ND',
  'northern mariana islands': 'MP',
  ohio: 'OH',
  oklahoma: 'OK',
  oregon: 'OR',
  pennsylvania: 'PA',
  'puerto rico': 'PR',
  'rhode island': 'RI',
  'south carolina': 'SC',
  'south dakota': 'SD',
  tennessee: 'TN',
  texas: 'TX',
  utah: 'UT',
  vermont: 'VT',
  'virgin islands': 'VI',
  virginia: 'VA',
  washington: 'WA',
  'washington dc': 'DC',
  'west virginia': 'WV',
  wisconsin: 'WI',
  wyoming: 'WY',
}

/** Names to codes: the built-in ones and the operator's own. */
export type States = ReadonlyMap<string, string>

export const statesWith = (own: Record<string, string>): States =>
  new Map([...Object.entries(names), ...Object.entries(own).map(([name, code]) => [plainName(name), code] as const)])

/** Names of states in a language, by code. Only names that differ from ours are in it. */
export type TranslatedStates = Readonly<Record<string, string>>

/**
 * The states to choose from, in the order of their names in a language: `{ value: 'TX', label: 'Texas' }`. Each code is
 * listed once, with its translated name; if there is none, with the operator's own name, otherwise with ours.
 */
export function stateNames(
  own: Record<string, string>,
  { unitedStates, language, translated }: { unitedStates: boolean; language: string; translated: TranslatedStates },
): { value: string; label: string }[] {
  const codes = [...Object.values(own), ...(unitedStates ? Object.values(names) : [])]
  const label = (code: string) => translated[code] ?? stateName(code, own)
  return Array.from(new Set(codes), value => ({ value, label: label(value) })).sort((one, other) =>
    one.label.localeCompare(other.label, language),
  )
}

/** The name of a state as people write it: `Texas` for TX; the code itself if its name is not known. */
export function stateName(code: string, own: Record<string, string>): string {
  const [named] = Object.entries(own).find(([, other]) => other === code) ?? []
  const [known] = Object.entries(names).find(([, other]) => other === code) ?? []
  return named ?? known?.replace(/\b(?!of\b)\p{L}/gu, letter => letter.toUpperCase()) ?? code
}

/** A name in the form that we compare: it is the same for `Washington, D.C.` and `washington dc`. */
const plainName = (name: string): string =>
  name.normalize('NFC').toLowerCase().replace(/[.,]/g, '').replace(/\s+/g, ' ').trim()

/** The code of a state from its code or name, in upper or lower case; undefined if the text is neither. */
export function stateCode(text: string, states: States): string | undefined {
  const named = states.get(plainName(text))
  if (named !== undefined) return named
  return /^[A-Za-z]{2,3}$/.test(text) ? text.toUpperCase() : undefined
}
