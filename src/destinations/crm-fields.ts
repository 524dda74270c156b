/** Which fields of a CRM get which values: lines that an admin writes, such as `Email = email`. */
import type { Input, Told } from './destination-kind.ts'
import { alwaysTold, everyField, type FieldName } from './event-payload.ts'

const known = [...alwaysTold, ...everyField]

type Line = { name: string; value: string }

const TEXT = /^"([^"]*)"$/

export const crmFields = (value: string): Input => ({
  name: 'fields',
  label: 'Fields',
  hint: `One on each line: the name in the other program, = and a text in quotation marks or a field of the lead: ${known.join(', ')}.`,
  lines: true,
  value,
})

/** The fields of the lead that the lines need. */
export const fieldsIn = ({ fields = '' }: Told['values']): FieldName[] =>
  everyField.filter(name => linesIn(fields).some(({ value }) => value === name))

/** What is wrong with the lines, in a sentence. */
export function problemOfFields({ fields = '' }: Told['values']): string | undefined {
  const lines = linesIn(fields)
  if (fields.split('\n').some(line => line.trim() !== '' && !line.includes('=')))
    return 'Write each field as a name, = and a field of the lead.'
  for (const { name, value } of lines) {
    if (!/^[A-Za-z]\w*$/.test(name)) return `“${name}” cannot be the name of a field: use letters, digits and _ only.`
    if (!TEXT.test(value) && !known.some(one => one === value))
      return `A lead has no field “${value}”. It has ${known.join(', ')}. Put a text into quotation marks.`
  }
  const names = lines.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice && `“${twice}” occurs twice.`
}

/** The values that the lines take from a lead. Several are joined by `;`, which Salesforce and HubSpot both read. */
export function crmValues({ values: { fields = '' }, data }: Pick<Told, 'values' | 'data'>): Record<string, string> {
  const meant = (value: string): unknown => TEXT.exec(value)?.[1] ?? data.lead?.[value]
  return Object.fromEntries(
    linesIn(fields).flatMap(({ name, value }) => {
      const text = [meant(value) ?? []].flat().join(';')
      // An unknown value must not replace what the CRM has.
      return text === '' ? [] : [[name, text]]
    }),
  )
}

const linesIn = (text: string): Line[] =>
  text.split('\n').flatMap(line => {
    const [name = '', ...value] = line.split('=')
    return value.length === 0 ? [] : [{ name: name.trim(), value: value.join('=').trim() }]
  })
