/** Lists of people: reading files as programs write them, and making inquiries of their rows. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { xlsx } from '../../src/console/export/xlsx.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { statesWith } from '../../src/leads/body/states.ts'
import { FILE_LIMITS, NotCsv, readFile } from '../../src/leads/import/csv-upload.ts'
import { momentOfDate } from '../../src/leads/import/date-in-cell.ts'
import { type ImportPlan, problemsInWords, readRow } from '../../src/leads/import/inquiry-of-row.ts'
import { columnProblems, guessColumns, isPerson, nameHeaders } from '../../src/leads/import/list-columns.ts'
import { choicesFor, type ListValues, type Meanings, nearestChoice } from '../../src/leads/import/list-values.ts'
import { DAY } from '../../src/platform/time.ts'

const read = async (bytes: Uint8Array | string) =>
  Array.fromAsync(readFile(typeof bytes === 'string' ? Buffer.from(bytes) : bytes))
const cellsOf = async (bytes: Uint8Array | string) => (await read(bytes)).map(({ cells }) => cells)

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('a file', () => {
  const rows = [
    ['Name', 'Correo'],
    ['Zoë Núñez', 'zoe@mail.example'],
  ]

  test('is read in the encodings that Excel and others write', async () => {
    const text = 'Name,Correo\r\nZoë Núñez,zoe@mail.example\r\n'
    deepEqual(await cellsOf(text), rows)
    deepEqual(await cellsOf(`\ufeff${text}`), rows, 'UTF-8 with a mark')
    deepEqual(await cellsOf(Buffer.from(text, 'latin1')), rows, 'Windows-1252')
    deepEqual(await cellsOf(Buffer.from(`\ufeff${text}`, 'utf16le')), rows, 'UTF-16')
    deepEqual(await cellsOf(utf16be(`\ufeff${text}`)), rows, 'UTF-16, big-endian')
    deepEqual(await cellsOf(Buffer.from(text, 'utf16le')), rows, 'UTF-16 without a mark')
    deepEqual(await cellsOf(Buffer.from('Name\r\n\x93Bob\x94', 'latin1')), [['Name'], ['“Bob”']])
  })

  test('is read with each separator, also one that it names', async () => {
    for (const separator of [',', ';', '\t', '|']) {
      const text = rows.map(cells => cells.join(separator)).join('\n')
      deepEqual(await cellsOf(text), rows, separator)
    }
    deepEqual(await cellsOf('sep=;\r\nName;Correo\r\n"Núñez, Zoë";z@mail.example'), [
      ['Name', 'Correo'],
      ['Núñez, Zoë', 'z@mail.example'],
    ])
    deepEqual(await cellsOf('"a;b;c;d",e\nf,g'), [
      ['a;b;c;d', 'e'],
      ['f', 'g'],
    ])
  })

  test('may have quotes, line breaks in cells and blank rows; rows count as a spreadsheet shows them', async () => {
    deepEqual(await read('a,b\n\n"x ""y""\nz",1\n,\n5 " screen,2\rlast'), [
      { row: 1, cells: ['a', 'b'] },
      { row: 3, cells: ['x "y"\nz', '1'] },
      { row: 5, cells: ['5 " screen', '2'] },
      { row: 6, cells: ['last'] },
    ])
  })

  test('lets others go on while many blank rows are read', async () => {
    let turns = 0
    const count = () => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await read(`Name,Correo\n${'\n'.repeat(40_000)}`)
    clearImmediate(next)
    ok(turns > 10, `${turns} turns of the event loop`)
  })

  test('of another format is refused, with what it is and what to do', async () => {
    const workbook = Buffer.concat(
      await Array.fromAsync(
        xlsx(
          (async function* () {
            yield [['a']]
          })(),
          { zone: timeZone('UTC') },
        ),
      ),
    )
    const refused: [Uint8Array | string, RegExp][] = [
      ['', /The file is empty/],
      [' \r\n \n', /The file is empty/],
      [workbook, /an Excel workbook.*save or download the list as CSV/],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /an old Excel workbook/],
      ['%PDF-1.7 …', /This is a PDF/],
      ['<!DOCTYPE html><p>Hello', /This is a web page/],
      [Buffer.from([1, 2, 0, 0, 9, 0, 0, 0, 65, 66]), /not a text file/],
      // PostgreSQL cannot store a NUL: the check of such a list never ended.
      [Buffer.from('\ufeffName,Email\nA\0na,ana@mail.example\n', 'utf16le'), /not a text file/],
      [Buffer.from('\ufeffName,Email\nA\0na,ana@mail.example\n', 'utf16le').swap16(), /not a text file/],
      [Buffer.from(Uint32Array.from('\ufeffName\nAna\n', one => one.charCodeAt(0)).buffer), /not a text file/],
      ['a,b\n1,"2\n3,4', /In row 2, a quotation mark is never closed/],
      [`a,b\n1,${'x'.repeat(10_000_000)}`, /Row 2 has more than 200,000 characters/],
      [`a\n1,${','.repeat(300)}1`, /Row 2 has 302 cells, and the limit is 200/],
      ['x\n'.repeat(FILE_LIMITS.rows + 2), /more than 100,000 rows\. Split it/],
      [`a\n1${','.repeat(FILE_LIMITS.cells)}`, /more than 5,000,000 cells, empty ones included/],
      [`a;b\n${';\r\n'.repeat(FILE_LIMITS.cells / 2)}`, /more than 5,000,000 cells/],
      ['a\n\r'.padEnd(FILE_LIMITS.cells + 2, '\r'), /more than 5,000,000 cells/],
      [Buffer.alloc(FILE_LIMITS.bytes + 1, 'x'), /31 MB, and the limit is 30 MB/],
    ]
    for (const [bytes, sentence] of refused) {
      await rejects(read(bytes), (error: Error) => {
        match(error.message, sentence)
        return error instanceof NotCsv
      })
    }
  })
})

describe('the columns', () => {
  const student = (headers: string[], samples: string[][] = []) => guessColumns('student', headers, samples)

  test('are guessed from headers in English and Spanish', () => {
    deepEqual(student(['First Name', 'Last Name', 'E-mail 1 - Value', 'Mobile', 'State', 'Company', 'Notes', 'ID']), [
      'firstName',
      'lastName',
      'email',
      'phone',
      'state',
      'employer',
      'message',
      null,
    ])
    deepEqual(student(['Nombre', 'Apellidos', 'Correo electrónico', 'Teléfono', 'Ciudad', 'Estado']), [
      'firstName',
      'lastName',
      'email',
      'phone',
      'city',
      'state',
    ])
    deepEqual(student(['NOMBRE COMPLETO', 'Celular', 'correo', 'Observaciones', 'Comentarios']), [
      'fullName',
      'phone',
      'email',
      'message',
      'message',
    ])
    deepEqual(student(['Name', 'Email', 'Phone', 'Interested in', 'Program of interest', 'Comments']), [
      'fullName',
      'email',
      'phone',
      'message',
      'program',
      'message',
    ])
    deepEqual(student(['Nombre', 'Interés', 'Programa', 'Etapa', 'Asesor']), [
      'fullName',
      'message',
      'program',
      'stage',
      'counselor',
    ])
    deepEqual(guessColumns('site', ['Contact', 'Empresa', 'Dirección', 'Email', 'Tel.', 'State'], []), [
      'fullName',
      'company',
      'address',
      'email',
      'phone',
      null,
    ])
  })

  test('of one meaning are used once, and a column without a header is recognized by its cells', () => {
    deepEqual(student(['Email', 'Email', 'Name']), ['email', null, 'fullName'])
    const people = [
      ['Ana Ruiz', 'ana@mail.example', '(512) 555-0188'],
      ['Ben Okafor', 'ben@mail.example', '512 555 0199'],
    ]
    deepEqual(student(['Column 1', 'Column 2', 'Column 3'], people), [null, 'email', 'phone'])
    deepEqual(student(['Who', 'Contact', 'Mobile'], people), [null, 'email', 'phone'])
    equal(isPerson(people[0] ?? []), true)
    equal(isPerson(['Name', 'Email']), false)
  })

  test('get names of their own', () => {
    deepEqual(nameHeaders(['Email', '', 'Email', 'a\nb'], 5), ['Email', 'Column 2', 'Email (2)', 'a b', 'Column 5'])
  })

  test('that are missing or chosen twice are named', () => {
    deepEqual(columnProblems('student', ['fullName', 'email', 'phone']), [])
    deepEqual(columnProblems('site', ['fullName', 'email', 'email', 'phone', 'company']), [
      'No column is chosen for “Postal address”. Every lead needs one.',
      'Several columns are chosen for “Email”. Choose one of them.',
    ])
    deepEqual(columnProblems('student', ['lastName']), [
      'No column is chosen for “First name”. Every lead needs one. If one column has the whole name, choose “First and last name” for it.',
      'No column is chosen for “Email” or “Phone”. Every lead needs one of the two.',
    ])
    deepEqual(columnProblems('student', ['fullName', 'phone']), [])
    match(columnProblems('student', ['fullName', 'lastName', 'email', 'phone']).join(), /Choose either/)
  })
})

describe('a row', () => {
  const headers = ['Name', 'Mail', 'Phone', 'State', 'Notes', 'Shirt']
  const plan: ImportPlan = {
    kind: 'student',
    columns: ['fullName', 'email', 'phone', 'state', 'message', null],
    source: 'Fair Austin 2026-11',
    language: 'en',
    mayWrite: false,
  }
  const now = Date.UTC(2026, 10, 22)
  const states = statesWith({})
  const known: ListValues = {
    states,
    ownStates: {},
    programs: ['Welding', 'Nursing Assistant'],
    people: [
      { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' },
      { id: 'sam', name: 'Sam Rivera', email: 'sam@school.example' },
    ],
    campuses: [],
    questions: { student: [], site: [] },
    country: 'US',
    noonOf: day => (day + 0.5) * DAY,
  }
  const context = { now, states, answers: {}, known }
  const readOne = (cells: string[], over: Partial<ImportPlan> = {}) =>
    readRow(cells, { plan: { ...plan, ...over }, headers }, context)
  const ANA = ['Ana Ruiz Soto', 'Ana@Mail.example', '512 555 0188', 'texas', 'Evenings?', 'M']

  test('becomes an inquiry by the rules of the operation', () => {
    const read = readOne(ANA)
    deepEqual('body' in read && read.body, {
      firstName: 'Ana',
      lastName: 'Ruiz Soto',
      email: 'Ana@mail.example',
      phone: '512 555 0188',
      state: 'TX',
      message: 'Evenings?',
    })
    equal(read.sender, 'ana@mail.example')
  })

  test('may be written as spreadsheets and address books write it', () => {
    const read = readOne(['Ruiz, Ana', 'Ana <ana@mail.example>', '="5125550188"'], {})
    deepEqual('body' in read && read.body, {
      firstName: 'Ana',
      lastName: 'Ruiz',
      email: 'ana@mail.example',
      phone: '5125550188',
    })
    const formula = readOne(['Ana Ruiz', 'ana@mail.example', "'+1 512 555 0188", '', '=1+1'])
    deepEqual('body' in formula && [formula.body.phone, formula.body.message], ['+1 512 555 0188', '=1+1'])
  })

  test('that is wrong says in which columns, and keeps the address by which it is erased', () => {
    deepEqual(readOne(['Ana', 'ana@mail', '555', 'Tex.', 'ok\0']), {
      sender: 'ana@mail',
      problems: [
        { column: 'Name', reason: 'Last name is required.' },
        { column: 'Mail', reason: 'Email must be one valid email address, such as name@example.com.' },
        { column: 'Phone', reason: 'Phone must contain 10 to 15 digits (it has 3).' },
        { column: 'State', reason: 'State must be a 2 to 3 letter code or the name of a state, such as TX or Texas.' },
        { column: 'Notes', reason: 'Notes must not contain control characters.' },
      ],
    })
    match(JSON.stringify(readOne([...ANA, 'one more'])), /The row has 7 cells, and the list has 6 columns/)
    match(JSON.stringify(readOne([])), /First name is required.*Phone is required/)
  })

  const readOnBehalf = (cells: string[]) => readRow(cells, { plan, headers }, { ...context, onBehalf: true })

  test('is imported without an optional value that cannot be read, and its note keeps the words', () => {
    const read = readOnBehalf(['Ana Ruiz', 'ana@mail.example', '5,12556E+09', 'Tex.', 'Evenings?'])
    deepEqual('body' in read && read.body, {
      firstName: 'Ana',
      lastName: 'Ruiz',
      email: 'ana@mail.example',
      message: 'Evenings?\nPhone: 5,12556E+09\nState: Tex.',
    })
    deepEqual(
      read.problems?.map(({ column, value, reason }) => [column, value, reason]),
      [
        [
          'Phone',
          '5,12556E+09',
          'Excel has rounded this number, so its last digits are lost. Format the column as text, enter the numbers again, and upload the list again.',
        ],
        ['State', 'Tex.', 'State must be a 2 to 3 letter code or the name of a state, such as TX or Texas.'],
      ],
    )
    const byPhone = readOnBehalf(['Ana Ruiz', 'ana@mail', '512 555 0188', '', 'x'.repeat(10_000)])
    deepEqual('body' in byPhone && [byPhone.sender, byPhone.body.message?.slice(-17), byPhone.body.message?.length], [
      '+15125550188',
      'x…\nMail: ana@mail',
      10_000,
    ])
    const long = readOnBehalf(['Ana Ruiz', 'ana@mail.example', '', '', `${'x '.repeat(2000)}end`])
    equal('body' in long && long.body.message?.slice(-5), 'x end', 'more than a form accepts')
    equal(long.problems, undefined)
    const longer = readOnBehalf(['Ana Ruiz', 'ana@mail.example', '', '', 'x'.repeat(20_000)])
    equal('body' in longer && longer.body.message?.length, 10_000)
    match(longer.problems?.[0]?.reason ?? '', /^Only its first 10,000 characters are imported\.$/)
    const lost = readOnBehalf(['Ana Ruiz', '', '5.12556E+09'])
    match(JSON.stringify('problems' in lost && lost.problems), /Excel has rounded this number/)
    equal('key' in lost, false)
  })

  test('says what its lead gets, and what someone has said that its words mean', () => {
    const all = [...headers.slice(0, 3), 'State', 'Program', 'Labels', 'Status', 'Advisor', 'Created']
    const columns = ['fullName', 'email', 'phone', 'state', 'program', 'tags', 'stage', 'counselor', 'since'] as const
    const read = (cells: string[], meanings: Meanings = {}) => {
      const row = readRow(
        ['Ana Ruiz', 'ana@mail.example', '', ...cells],
        { plan: { ...plan, columns: [...columns], meanings }, headers: all },
        { ...context, onBehalf: true },
      )
      return 'key' in row ? row : undefined
    }
    const right = read(['TX', 'welding', 'evening; fair', 'Reached', 'MARIA@school.example', '10/3/2026'])
    deepEqual(
      [right?.entered, right?.problems],
      [
        {
          programs: ['Welding'],
          stage: 'contacted',
          owner: 'maria',
          tags: ['evening', 'fair'],
          since: Date.UTC(2026, 9, 3, 12),
        },
        undefined,
      ],
    )
    const odd = ['Tex.', 'Weldin', 'x'.repeat(41), 'lukewarm', 'Sammy', '13/13/2026']
    const unread = read(odd)
    deepEqual(unread?.entered, {})
    deepEqual(
      unread?.problems?.map(({ field }) => field),
      ['program', 'stage', 'counselor', 'tags', 'since', 'state'],
    )
    match(
      unread?.body.message ?? '',
      /Program: Weldin\nStatus: lukewarm\nAdvisor: Sammy\n.*\nCreated: 13\/13\/2026\nState: Tex\./s,
    )
    const said = read(odd, {
      state: { tex: 'TX' },
      program: { weldin: 'Welding' },
      counselor: { sammy: 'sam' },
      stage: { lukewarm: '' },
    })
    deepEqual(
      [said?.body, said?.entered],
      [
        { ...said?.body, state: 'TX' },
        { programs: ['Welding'], owner: 'sam' },
      ],
    )
    deepEqual(
      said?.problems?.map(({ field }) => field),
      ['stage', 'tags', 'since'],
    )
  })

  test('may write a date in many ways, but not one in the future', () => {
    const day = (text: string, country = 'US') => {
      const moment = momentOfDate(text, { ...known, country }, now)
      return moment && new Date(moment).toISOString().slice(0, 10)
    }
    for (const text of [
      '2026-10-03',
      '2026-10-03T09:30:00Z',
      '10/3/2026',
      '10/03/26 9:30 AM',
      '3.10.2026',
      'Oct 3, 2026',
      '3 October 2026',
      '46298',
    ])
      equal(day(text), '2026-10-03', text)
    equal(day('3/10/2026', 'MX'), '2026-10-03')
    equal(day('25/10/2026'), '2026-10-25')
    for (const text of ['2026-12-24', '1899-01-01', '2026-02-30', 'soon', '12345678901', ''])
      equal(day(text), undefined, text)
  })

  test('suggests what words most likely mean', () => {
    const states = choicesFor('state', 'student', known)
    const nearest = (words: string) => nearestChoice(words, states)?.value
    deepEqual(['Tex.', 'Calif.', 'Oklahmoa', 'N. Mexico', 'Wash', 'xx', '?'].map(nearest), [
      'TX',
      'CA',
      'OK',
      'NM',
      'WA',
      undefined,
      undefined,
    ])
    equal(nearestChoice('Maria Lopes', choicesFor('counselor', 'student', known))?.value, 'maria')
  })

  test('that is wrong is told in one line, which names each column once', () => {
    const read = readOne(['', 'ana@mail', '', 'Tex.'])
    equal(
      'problems' in read && problemsInWords(read.problems),
      'Name: First name is required. Last name is required. Mail: Email must be one valid email address, such as name@example.com. Phone is required. State must be a 2 to 3 letter code or the name of a state, such as TX or Texas.',
    )
  })

  test('is the same inquiry only with the same words from the same source, whenever it is read', () => {
    const key = (cells: string[], over: Partial<ImportPlan> = {}, now = context.now) => {
      const site = { ...plan, ...over }
      const read = readRow(cells, { plan: site, headers }, { ...context, now })
      return 'key' in read ? read.key : undefined
    }
    equal(key(ANA), key([...ANA.slice(0, 5), 'XL']))
    equal(key(ANA) === key(ANA.with(4, 'Mornings?')), false)
    equal(key(ANA) === key(ANA, { source: 'Fair Austin 2027-11' }), false)
    const site: Partial<ImportPlan> = { kind: 'site', columns: ['fullName', 'email', 'phone', 'company', 'address'] }
    const MERCY = ['Ana Ruiz', 'ana@mercy.example', '512 555 0188', 'Mercy', '100 Main Street']
    equal(key(MERCY, site), key(MERCY, site, context.now + 1000))
  })
})
