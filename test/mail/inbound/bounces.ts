/** Reports of undelivered mail as the large mail systems write them. */
import { deliveryStatus } from './samples.ts'

/** Reports that say that the address is wrong. */
export const bounces = {
  'Postfix, no such user at Gmail': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@gmail.example',
    'Original-Recipient: rfc822;ana.ruiz@mail.example',
    'Action: failed',
    'Status: 5.1.1',
    'Remote-MTA: dns; gmail-smtp-in.l.google.com',
    'Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does',
    "    not exist. Please try double-checking the recipient's email address for 550",
    '    5.1.1 typos. For more information, go to https://support.google.com/mail/?p=NoSuchUser',
  ]),
  'Postfix, no such domain': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@mial.example',
    'Action: failed',
    'Status: 5.4.4',
    'Diagnostic-Code: X-Postfix; Host or domain name not found. Name service error for',
    '    name=mial.example type=AAAA: Host not found',
  ]),
  'Gmail, domain does not accept mail': deliveryStatus(
    [
      'Final-Recipient: rfc822; ana.ruiz@nomail.example',
      'Action: failed',
      'Status: 5.1.10',
      'Diagnostic-Code: smtp; 556 5.1.10 Recipient address has a null MX',
    ],
    { from: 'mailer-daemon@googlemail.com', returned: 'message/rfc822' },
  ),
  'Exim, no such user': deliveryStatus(
    [
      'Action: failed',
      'Final-Recipient: rfc822;ana.ruiz@mail.example',
      'Status: 5.0.0',
      'Remote-MTA: dns; mx.mail.example',
      'Diagnostic-Code: smtp; 550 5.1.1 <ana.ruiz@mail.example>: Recipient address rejected: User unknown',
    ],
    { returned: 'message/rfc822' },
  ),
  'Exim, no such user only in words': deliveryStatus([
    'Action: failed',
    'Final-Recipient: rfc822;ana.ruiz@mail.example',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 550 No such user here',
  ]),
  'Yahoo, no such account': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@yahoo.example',
    'Action: failed',
    'Status: 5.0.0',
    "Diagnostic-Code: smtp; 554 delivery error: dd This user doesn't have a yahoo.example account (ana.ruiz@yahoo.example) [0] - mta1234.mail.ne1.yahoo.com",
  ]),
  'Exchange, not in the directory': deliveryStatus(
    [
      'Final-Recipient: rfc822;ana.ruiz@corp.example',
      'Action: failed',
      'Status: 5.1.10',
      'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ana.ruiz@corp.example not found by SMTP address lookup',
    ],
    { from: 'postmaster@corp.example', returned: 'message/rfc822' },
  ),
  'Exchange Online, edge blocks unknown recipients': deliveryStatus([
    'Final-Recipient: rfc822;ana.ruiz@corp.example',
    'Action: failed',
    'Status: 5.4.1',
    'Diagnostic-Code: smtp;550 5.4.1 Recipient address rejected: Access denied. [AM7EUR06FT010.eop-eur06.prod.outlook.example]',
  ]),
  'Gmail, account disabled': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@gmail.example',
    'Action: failed',
    'Status: 5.2.1',
    'Diagnostic-Code: smtp; 550-5.2.1 The email account that you tried to reach is inactive.',
  ]),
}

/** Reports that do not say so. */
export const softBounces = {
  'a full mailbox (Gmail)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@gmail.example',
    'Action: failed',
    'Status: 5.2.2',
    "Diagnostic-Code: smtp; 552-5.2.2 The recipient's inbox is out of storage space",
  ]),
  'a full mailbox (Yahoo)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@yahoo.example',
    'Action: failed',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 552 1 Requested mail action aborted, mailbox full, quota exceeded',
  ]),
  'a policy (Gmail)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@gmail.example',
    'Action: failed',
    'Status: 5.7.1',
    'Diagnostic-Code: smtp; 550-5.7.1 Our system has detected that this message is likely unsolicited mail.',
  ]),
  'a policy that mentions the recipient (Postfix)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@mail.example',
    'Action: failed',
    'Status: 5.7.1',
    'Diagnostic-Code: smtp; 554 5.7.1 <ana.ruiz@mail.example>: Recipient address rejected: Access denied',
  ]),
  'a blocked sender (Exchange)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@corp.example',
    'Action: failed',
    'Status: 5.1.0',
    'Diagnostic-Code: smtp;550 5.1.0 Sender denied as sender address is on SenderFilterConfig list',
  ]),
  'a bad sender domain': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@corp.example',
    'Action: failed',
    'Status: 5.1.8',
    'Diagnostic-Code: smtp; 550 5.1.8 Access denied, bad outbound sender',
  ]),
  'too much mail at the moment (Gmail)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@gmail.example',
    'Action: failed',
    'Status: 5.2.1',
    'Diagnostic-Code: smtp; 550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
  ]),
  'a temporary error that lasted too long (Postfix)': deliveryStatus([
    'Final-Recipient: rfc822; ana.ruiz@mail.example',
    'Action: failed',
    'Status: 4.4.1',
    'Diagnostic-Code: X-Postfix; connect to mx.mail.example[192.0.2.9]:25: Connection timed out',
  ]),
  'a greylist that mentions the recipient (Exim)': deliveryStatus([
    'Action: failed',
    'Final-Recipient: rfc822;ana.ruiz@mail.example',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 450 Recipient address rejected: Greylisted',
  ]),
  'words about policy': deliveryStatus([
    'Action: failed',
    'Final-Recipient: rfc822;ana.ruiz@mail.example',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 554 Recipient address rejected: your host is blocked for spam',
  ]),
  'words about a temporary problem': deliveryStatus([
    'Action: failed',
    'Final-Recipient: rfc822;ana.ruiz@mail.example',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 550 Mailbox unavailable, try again later',
  ]),
  'no reason at all': deliveryStatus(['Action: failed', 'Final-Recipient: rfc822;ana.ruiz@mail.example']),
}
