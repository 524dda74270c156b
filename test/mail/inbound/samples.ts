/** Messages as mail systems really write them, without names of real people or hosts. */

/** The id of the message that we sent. */
export const ID = 'letter.17.1@school.example'
/** The mark that it carries. */
export const MARKED = '0123456789abcdef01234567'

/** A message with these header lines and this body, with CRLF line ends. */
export const mail = (headers: string[], ...body: string[]): Uint8Array =>
  Buffer.from([...headers, '', ...body].join('\n').replace(/\r?\n/g, '\r\n'))

const BASIC = [
  'Return-Path: <ana.ruiz@mail.example>',
  'From: Ana =?utf-8?Q?Ru=C3=ADz?= <ana.ruiz@Mail.Example>',
  'To: Northside Trade School <admissions@school.example>',
  'Subject: =?utf-8?Q?Re:_Your_question_about_welding_=E2=80=93_Northside?=',
  'Date: Fri, 20 Nov 2026 10:15:00 -0500',
  'Message-ID: <CAF1x=answer@mail.gmail.com>',
  `In-Reply-To: <${ID}>`,
  `References: <first.17@school.example>`,
  ` <${ID}>`,
  'MIME-Version: 1.0',
]

export const reply = (...body: string[]) => mail([...BASIC, 'Content-Type: text/plain; charset="utf-8"'], ...body)

export const htmlReply = (...body: string[]) => mail([...BASIC, 'Content-Type: text/html; charset="utf-8"'], ...body)

/** A short message to the school with these additional header lines. */
export const withHeaders = (...headers: string[]) =>
  mail(['From: ana.ruiz@mail.example', 'To: admissions@school.example', ...headers], 'I am away until Monday.')

const report = (headers: string[], type: string, parts: [string, string][]) =>
  mail(
    [...headers, 'MIME-Version: 1.0', `Content-Type: multipart/report; report-type=${type};`, ' boundary="b=_1"'],
    'This is a MIME-encapsulated message.',
    '',
    ...parts.flatMap(([contentType, body]) => ['--b=_1', `Content-Type: ${contentType}`, '', body, '']),
    '--b=_1--',
  )

/** The headers of the returned message. */
const RETURNED = [
  'Received: from school.example (school.example [192.0.2.7])',
  'From: Northside Trade School <admissions@school.example>',
  'To: Ana Ruiz <ana.ruiz@mail.example>',
  'Subject: Your question',
  `Message-ID: <${ID}>`,
  `X-Frontdesk-Mark: ${MARKED}`,
].join('\n')

/** A delivery status report (RFC 3464) about one recipient. */
export const deliveryStatus = (
  fields: string[],
  { from = 'MAILER-DAEMON@mx.school.example', returned = 'text/rfc822-headers' } = {},
) =>
  report(
    [
      `From: Mail Delivery System <${from}>`,
      'To: admissions@school.example',
      'Subject: Undelivered',
      'Auto-Submitted: auto-replied',
    ],
    'delivery-status',
    [
      ['text/plain; charset=us-ascii', 'I am sorry to have to inform you that your message could not be delivered.'],
      ['message/delivery-status', ['Reporting-MTA: dns; mx.school.example', '', ...fields].join('\n')],
      [returned, returned === 'message/rfc822' ? `${RETURNED}\n\nHello Ana\n` : RETURNED],
    ],
  )

/** A bounce as qmail writes it: without a report, with the message below a line. */
export const qmailBounce = mail(
  [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.mail.example',
    'To: admissions@school.example',
    'Subject: failure notice',
  ],
  'Hi. This is the qmail-send program at mx.mail.example.',
  '',
  '<ana.ruiz@mail.example>:',
  'Sorry, no mailbox here by that name. (#5.1.1)',
  '',
  '--- Below this line is a copy of the message.',
  '',
  RETURNED,
  '',
  'Hello Ana',
)

/** A bounce as Exim writes it without a delivery status report. */
export const eximBounce = mail(
  [
    'Return-path: <>',
    'X-Failed-Recipients: ana.ruiz@mail.example,',
    ' Ben@Mail.Example',
    'Auto-Submitted: auto-replied',
    'From: Mail Delivery System <Mailer-Daemon@mx.school.example>',
    'Subject: Mail delivery failed: returning message to sender',
    `References: <${ID}>`,
  ],
  'This message was created automatically by mail delivery software.',
)

export const feedback = (fields: string[], returned = RETURNED) =>
  report(
    [
      'From: Yahoo! Mail AntiSpam Feedback <feedback@arf.mail.yahoo.example>',
      'To: admissions@school.example',
      'Subject: FW: Your question',
    ],
    'feedback-report',
    [
      ['text/plain', 'This is an email abuse report for an email message.'],
      ['message/feedback-report', ['User-Agent: Yahoo!-Mail-Feedback/2.0', 'Version: 1', ...fields].join('\n')],
      ['message/rfc822', `${returned}\n\nHello Ana\n`],
    ],
  )

export const readReceipt = report(
  ['From: Ana <ana.ruiz@mail.example>', 'Subject: Read: Your question'],
  'disposition-notification',
  [
    ['text/plain', 'Your message was read.'],
    [
      'message/disposition-notification',
      `Original-Message-ID: <${ID}>\nDisposition: manual-action/MDN-sent-manually; displayed`,
    ],
  ],
)

/** A person's words above a message that they forward as an attachment. */
export const forward = mail(
  ['From: ana.ruiz@mail.example', 'Content-Type: multipart/mixed; boundary=f'],
  '--f',
  'Content-Type: text/plain',
  '',
  'See below.',
  '',
  '--f',
  'Content-Type: message/rfc822',
  '',
  RETURNED,
  '',
  'Hello Ana',
  '--f--',
)
