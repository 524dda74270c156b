import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { classify } from '../../../src/mail/inbound/classify.ts'
import { forward, htmlReply, reply } from './samples.ts'

const textOf = async (source: Uint8Array) => {
  const inbound = await classify(source)
  ok('text' in inbound, JSON.stringify(inbound))
  return inbound.text
}

describe('the text of a reply', () => {
  const original = ['> Dear Ana,', '> thank you for writing.', '>> older']
  const cases: Record<string, [Uint8Array, string]> = {
    'above the quoted message (Gmail)': [
      reply(
        'Yes!',
        'Ana',
        '',
        'On Fri, Nov 20, 2026 at 9:00 AM Northside Trade School <',
        'admissions@school.example> wrote:',
        '',
        ...original,
      ),
      'Yes!\nAna',
    ],
    'above a quotation that is announced without a date': [
      reply('Yes!', '', 'On Sat, Northside wrote:', ...original),
      'Yes!',
    ],
    'above one that is announced in Italian': [
      reply(
        'Sì.',
        '',
        'Il giorno ven 20 nov 2026 alle ore 09:00 Northside',
        '<a@school.example> ha scritto:',
        ...original,
      ),
      'Sì.',
    ],
    'above one that is announced in Chinese': [
      reply('好的', '', '在 2026年11月20日，Northside 写道：', ...original),
      '好的',
    ],
    'with a question of their own above the quotation': [
      reply('Can I bring:', '- a friend', '', ...original),
      'Can I bring:\n- a friend',
    ],
    'below it': [reply('On 20/11/2026 09:00, Northside wrote:', ...original, '', 'Yes, tomorrow.'), 'Yes, tomorrow.'],
    'between its lines': [
      reply('On 20 Nov 2026, at 09:00, Northside wrote:', '> When?', 'Tomorrow.', '> Where?', 'At school.'),
      'Tomorrow.\nAt school.',
    ],
    'above a message without marks (Yahoo)': [
      reply(
        'Call me.',
        '',
        '    On Friday, November 20, 2026, 9:00 AM, Northside <a@school.example> wrote:  ',
        '',
        ' Dear Ana',
      ),
      'Call me.',
    ],
    'above Outlook’s headers': [
      reply(
        'Call me.',
        '',
        '________________________________',
        'From: Northside <a@school.example>',
        'Sent: Friday, November 20, 2026 9:00 AM',
        'To: Ana',
        'Subject: Your question',
        '',
        'Dear Ana',
      ),
      'Call me.',
    ],
    'above Outlook’s headers in Spanish': [
      reply(
        'Llámeme mañana.',
        '',
        'De: Northside <a@school.example>',
        'Enviado el: viernes, 20 de noviembre de 2026 9:00',
        'Para: Ana',
        'Asunto: Su pregunta',
        '',
        'Estimada Ana',
      ),
      'Llámeme mañana.',
    ],
    'above old Outlook’s line': [
      reply('Call me.', '', '-----Original Message-----', 'From: Northside', 'Dear Ana'),
      'Call me.',
    ],
    'in Spanish (Gmail)': [
      reply(
        'Sí, me interesa.',
        '',
        'El vie, 20 nov 2026 a las 9:00, Northside (<a@school.example>)',
        'escribió:',
        '',
        ...original,
      ),
      'Sí, me interesa.',
    ],
    'in German (Apple Mail)': [
      reply('Gern.', '', 'Am 20.11.2026 um 09:00 schrieb Northside <a@school.example>:', '', ...original),
      'Gern.',
    ],
    'with words like those of mail programs': [
      reply('On Monday I wrote: nothing.', 'From: what I heard', 'it is good.', '-- ', 'Ana, 555 0100'),
      'On Monday I wrote: nothing.\nFrom: what I heard\nit is good.\n--\nAna, 555 0100',
    ],
    'and is empty if there is only a quoted message': [reply('', 'On 20 Nov 2026, X wrote:', ...original), ''],
    'above a forwarded message': [forward, 'See below.'],
    'in HTML only (Gmail)': [
      htmlReply(
        '<div dir="ltr">Yes &amp; no,<br>ma&ntilde;ana &#x1F600;</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Fri, Nov 20, 2026 at 9:00 AM Northside &lt;<a href="mailto:a@school.example">a@school.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote">Dear Ana<div>thanks</div></blockquote></div>',
      ),
      'Yes & no,\nmañana 😀',
    ],
    'in HTML only (Outlook)': [
      htmlReply(
        '<html><head><title>x</title><style>p {color: red} a > b {}</style></head><body><!-- [if mso > 9]> hidden <![endif] --><p>Call me.</p><script>if (1 < 2) alert("x")</script><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Northside<br></div><p>Dear Ana</p></body></html>',
      ),
      'Call me.',
    ],
  }
  for (const [name, [source, expected]] of Object.entries(cases)) {
    test(`is the person's own words, ${name}`, async () => equal(await textOf(source), expected))
  }
})
