/** Which column of a list contains what: guessed from its headers in English or Spanish, or from its cells. */
import { parseEmail } from '../body/email.ts'
import { PHONE_DIGITS, phoneDigits } from '../body/phone.ts'
import type { Kind } from '../body/submission.ts'
import { tidy } from '../body/tidy-text.ts'
import { isOwnField, type ListQuestion, type OwnField, ownField, questionIn, withColumns } from './own-columns.ts'

/** What a column can contain, in the order in which people choose. */
export const importFields = {
  student: [
    ...(['firstName', 'lastName', 'fullName', 'email', 'phone'] as const),
    ...(['city', 'state', 'employer', 'program', 'tags', 'stage', 'counselor', 'since', 'message'] as const),
    ...(['bestTime', 'campus', 'ownAnswers'] as const),
  ],
  site: [
    ...(['firstName', 'lastName', 'fullName', 'email', 'phone'] as const),
    ...(['company', 'address', 'tags', 'stage', 'counselor', 'since', 'message'] as const),
    ...(['bestTime', 'campus', 'ownAnswers'] as const),
  ],
} as const

type FixedField = (typeof importFields)[Kind][number]

export type ImportField = FixedField | OwnField

export const importFieldNames: Record<FixedField, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  fullName: 'First and last name',
  email: 'Email',
  phone: 'Phone',
  city: 'City',
  state: 'State',
  employer: 'Employer',
  company: 'Company or site',
  address: 'Postal address',
  program: 'Program',
  tags: 'Tags',
  stage: 'Stage',
  counselor: 'Counselor',
  since: 'First contact (date)',
  message: 'Notes',
  bestTime: 'Best time to call',
  campus: 'Campus',
  ownAnswers: 'Own questions (of an export)',
}

export const importFieldName = (field: ImportField): string =>
  isOwnField(field) ? questionIn(field) : importFieldNames[field]

/** What a column of such a list can contain at this school. */
export function fieldsToChoose(
  kind: Kind,
  { campuses, questions }: { campuses: readonly string[]; questions: Record<Kind, readonly ListQuestion[]> },
): ImportField[] {
  const asked = questions[kind]
  const fixed = importFields[kind].filter(
    field => (field !== 'campus' || campuses.length > 0) && (field !== 'ownAnswers' || asked.length > 0),
  )
  return [...fixed, ...withColumns(asked).map(ownField)]
}

/** What each column contains, in their order; null if it is left out. */
export type Columns = (ImportField | null)[]

/** The fields that need a column, each with the fields that can replace it. */
const needed = {
  student: [
    ['firstName', 'fullName'],
    ['lastName', 'fullName'],
  ],
  site: [['firstName', 'fullName'], ['lastName', 'fullName'], ['company'], ['address']],
} satisfies Record<Kind, ImportField[][]>

/** A list needs at least one of these columns. */
const reach: ImportField[] = ['email', 'phone']

/** Why a list cannot be read with these columns, in sentences; empty if it can. `named` gives the name of a field. */
export function columnProblems(
  kind: Kind,
  columns: Columns,
  named = (field: ImportField) => `“${importFieldName(field)}”`,
): string[] {
  const missing = needed[kind]
    .filter(fields => !fields.some(field => columns.includes(field)))
    .map(([field]) => field as ImportField)
  const all = new Set<ImportField>([...importFields[kind], ...columns.filter(isOwnField)])
  const twice = [...all].filter(field => field !== 'message' && columns.filter(one => one === field).length > 1)
  const hasPart = columns.includes('firstName') || columns.includes('lastName')
  return [
    ...(missing.length === 0 ? [] : [noColumnFor(missing, named)]),
    ...(reach.some(field => columns.includes(field))
      ? []
      : [`No column is chosen for ${oneOf.format(reach.map(named))}. Every lead needs one of the two.`]),
    ...twice.map(field => `Several columns are chosen for ${named(field)}. Choose one of them.`),
    ...(columns.includes('fullName') && hasPart ? [`Choose either ${named('fullName')} or two separate columns.`] : []),
  ]
}

const oneOf = new Intl.ListFormat('en-US', { type: 'disjunction' })

function noColumnFor(missing: ImportField[], named: (field: ImportField) => string): string {
  const needsName = missing.includes('firstName') || missing.includes('lastName')
  return [
    `No column is chosen for ${oneOf.format(missing.map(named))}.`,
    missing.length === 1 ? 'Every lead needs one.' : 'Every lead needs them.',
    ...(needsName ? [`If one column has the whole name, choose ${named('fullName')} for it.`] : []),
  ].join(' ')
}

/** Headers as we compare them: letters and digits, without accents. */
const words: Record<Exclude<FixedField, 'fullName'> | 'name', string> = {
  firstName: 'first firstname given givenname forename fname primernombre nombres nombredepila preferredname',
  lastName: 'last lastname surname familyname lname apellido apellidos primerapellido apellidopaterno',
  name: 'name fullname contact contactname attendee attendeename student studentname participant leadname nombre nombrecompleto nombreyapellido nombreyapellidos nombreapellido contacto alumno alumna estudiante',
  email:
    'email emailaddress emailid mail mailaddress workemail personalemail email1 email1value primaryemail correo correoelectronico direcciondecorreo direcciondecorreoelectronico',
  phone:
    'phone phonenumber phoneno phone1 phone1value mobile mobilephone mobilenumber cell cellphone cellnumber tel telephone telephonenumber homephone workphone primaryphone contactnumber telefono telefonocelular telefonomovil numerodetelefono celular movil tel1',
  city: 'city town ciudad localidad municipio',
  state: 'state stateprovince province region estado provincia',
  employer: 'employer currentemployer work workplace job empleador trabajo lugardetrabajo',
  company:
    'company companyname organization site clinicalsite clinic hospital business account accountname empresa compania organizacion clinica centro institucion',
  address:
    'address streetaddress street mailingaddress postaladdress address1 addressline1 direccion domicilio calle direccionpostal',
  message:
    'message notes note comment comments remarks remark question questions interest interests interestedin areaofinterest areasofinterest mensaje nota notas comentario comentarios observacion observaciones pregunta preguntas interes intereses interesadoen interesadaen areadeinteres',
  program:
    'program programs programofinterest programinterest course courses courseofinterest programa programas programadeinteres curso cursos cursodeinteres',
  tags: 'tag tags label labels etiqueta etiquetas',
  stage: 'stage leadstage leadstatus status estatus etapa fase',
  counselor:
    'counselor advisor adviser owner leadowner assignedto recruiter representative rep consejero consejera asesor asesora responsable',
  since:
    'firstcontact firstcontactdate inquirydate dateofinquiry inquiredon createdat createdate created datecreated dateadded leaddate fechadecontacto primercontacto fechadesolicitud',
  bestTime:
    'besttimetocall besttime bestcalltime besttimetoreachyou preferredtime preferredcalltime mejorhora mejorhoraparallamar horariopreferido mejorhorario mejormomentoparallamar',
  campus: 'campus campuses campusofinterest preferredcampus whichcampus plantel sede recinto',
  ownAnswers: 'ownquestions',
}

const fieldOf = new Map(
  Object.entries(words).flatMap(([field, all]) =>
    all.split(' ').map(word => [word, field as keyof typeof words] as const),
  ),
)

const comparable = (header: string): string =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/**
 * What each column most likely contains, by its header. Columns of emails and phone numbers are also found by their
 * cells, even if their header, such as Contact, suggests names.
 */
export function guessColumns(
  kind: Kind,
  headers: readonly string[],
  samples: readonly (readonly string[])[],
  questions: readonly ListQuestion[] = [],
): Columns {
  const guesses = headers.map(header => fieldOf.get(comparable(header)))
  const hasLastName = guesses.includes('lastName')
  const allowed: readonly string[] = importFields[kind]
  const columns = guesses.map((guess, at): ImportField | null => {
    const own = guess === undefined || guess === 'message' ? columnOfQuestion(headers[at] ?? '', questions) : undefined
    if (own !== undefined) return own
    if (guess === 'name' && mostly(samples, at, cell => isAddress(cell) || looksLikePhone(cell))) return null
    if (guess === 'name') return hasLastName ? 'firstName' : 'fullName'
    // In a list of students, a column with a company means the student's employer.
    const meant =
      guess === 'company' && kind === 'student'
        ? 'employer'
        : guess === 'program' && kind === 'site'
          ? 'message'
          : guess
    return allowed.includes(meant ?? '') ? (meant as ImportField) : null
  })
  const once = columns.map((field, at) => (field === 'message' || columns.indexOf(field) === at ? field : null))
  byCells(once, samples, 'email', isAddress)
  byCells(once, samples, 'phone', looksLikePhone)
  return once
}

/** The field of a question whose words, in any of its languages, are the header. */
function columnOfQuestion(header: string, questions: readonly ListQuestion[]): ImportField | undefined {
  const one = questions.find(({ names }) => names.some(name => comparable(name) === comparable(header)))
  if (one === undefined) return undefined
  return one.type === 'time' ? 'bestTime' : one.type === 'campus' ? 'campus' : ownField(one)
}

/** Finds the column of a field by its cells, if no header names it. */
function byCells(
  columns: Columns,
  samples: readonly (readonly string[])[],
  field: ImportField,
  fits: (cell: string) => boolean,
): void {
  if (columns.includes(field)) return
  const at = columns.findIndex((column, index) => column === null && mostly(samples, index, fits))
  if (at >= 0) columns[at] = field
}

/** Whether more than half of the cells of a column fit. */
const mostly = (samples: readonly (readonly string[])[], at: number, fits: (cell: string) => boolean): boolean =>
  samples.filter(cells => fits(cells[at] ?? '')).length * 2 > samples.length

const isAddress = (cell: string): boolean => parseEmail(tidy(cell)) !== undefined

function looksLikePhone(cell: string): boolean {
  const { length } = phoneDigits(cell)
  return /^[+()\d\s./-]+$/.test(cell) && length >= PHONE_DIGITS.least && length <= PHONE_DIGITS.most
}

/** Whether the first row of a file is already a person, instead of headers: it has an email address or a number. */
export const isPerson = (cells: readonly string[]): boolean =>
  cells.some(cell => isAddress(cell) || looksLikePhone(cell))

/** The headers to show: a column without a name gets one, and columns with the same name get a number. */
export function nameHeaders(cells: readonly string[], count: number): string[] {
  const names: string[] = []
  for (let at = 0; at < count; at++) {
    const name = printableHeader(cells[at] ?? '') || `Column ${at + 1}`
    let unique = name
    for (let n = 2; names.includes(unique); n++) unique = `${name} (${n})`
    names.push(unique)
  }
  return names
}

const LONGEST_HEADER = 80

const printableHeader = (cell: string): string =>
  tidy(cell.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')).slice(0, LONGEST_HEADER)
