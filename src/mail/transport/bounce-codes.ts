/** Whether a failed delivery means that the address is wrong, judged by what the server said. */

/**
 * Enhanced status codes (RFC 3463) about the recipient's address: no such mailbox (1.1), no such host (1.2), bad syntax
 * (1.3), ambiguous (1.4), moved away (1.6), the domain does not accept mail (1.10, RFC 7505), disabled (2.1), no route
 * to the host (4.4), no such domain (4.310, from Exchange). These are left out on purpose: 1.5 is a success; 1.7, 1.8
 * and 1.20 are about the sender; 1.90 is about a sender's limit; 2.2 is a full mailbox; all codes that begin with 7 are
 * about policy.
 */
const ADDRESS_CODES = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10', '5.2.1', '5.4.4', '5.4.310'])

/** Gmail also says 5.2.1 about a mailbox that is receiving too much mail at the moment. */
const TEMPORARY = /too (?:much|many|quickly)|at a rate|later time|try again/i

/**
 * Codes that leave the reason open. Exim writes 5.0.0 whatever the reason; 5.1.0 is used about
 * senders, too; Exchange Online says 5.4.1 about recipients that are not in its directory.
 */
const OPEN_CODES = /^5\.(?:\d+\.0|4\.1)$/

/** Words that servers use about an address that does not exist, when their code leaves the reason open. */
const NO_SUCH_ADDRESS =
  /no such (?:user|mailbox|recipient|address|person)|(?:user|recipient|mailbox|account|address) (?:is )?(?:unknown|not found|does(?: not|n't) exist)|unknown (?:user|recipient|mailbox|address)|invalid (?:recipient|mailbox)|doesn't have an? \S{1,40} account|recipient address rejected|mailbox (?:is )?(?:disabled|inactive|unavailable)|account (?:has been |is )?(?:disabled|deactivated|inactive)|host or domain name not found|unrouteable address/i

/** If one of these reasons is given, such words do not count. */
const POLICY = /spam|policy|block|reputation|blacklist|listed|relay|quota|full|greylist|sender/i

/**
 * Whether a failure is permanent and about the address. `status` is the enhanced status code of the
 * report, `diagnostic` what the other server said. Everything else may pass: a full mailbox, a
 * policy, a temporary error that lasted too long.
 *
 * If the status leaves the reason open, the code in the diagnostic decides, then its words. A doubtful
 * case counts as soft: one email too many does less harm than giving up on a person.
 */
export function isHard(status: string, diagnostic: string): boolean {
  // The reply of the other server, after the kind of the diagnostic: `smtp; 450 …`.
  if (/^[^;]{0,50};\s*4\d\d[ -]/.test(diagnostic)) return false
  const code = enhanced(status)
  if (code && !OPEN_CODES.test(code)) return isAddressCode(code, diagnostic)
  const said = enhanced(diagnostic)
  if (said && !OPEN_CODES.test(said)) return isAddressCode(said, diagnostic)
  return NO_SUCH_ADDRESS.test(diagnostic) && !POLICY.test(diagnostic) && !TEMPORARY.test(diagnostic)
}

/**
 * Words about us rather than the recipient: our client, our address, our reputation, or a limit. A reply with any of
 * them says nothing about whether the mailbox exists.
 */
const ABOUT_US =
  /spam|policy|block|reputation|list|relay|sender|den(?:y|ied)|prohibit|permi|auth|allow|reject|access|refus|verif|helo|ehlo|spf|dkim|dmarc|ptr|reverse|\bip\b|\d+\.\d+\.\d+\.\d+|quota|full|too many|rate|connect|client|protocol|tls|encrypt/i

/** Replies that RFC 5321 section 4.2.3 and RFC 7504 give to an address that gets no mail here. */
const RECIPIENT_CODES = [550, 551, 553, 556]

/**
 * Whether a reply to RCPT TO says that the mailbox does not exist or accepts no mail. Such a reply need not have an
 * enhanced code. If it has none, and no words about us, it counts as a reply about the recipient, in any language.
 */
export function isUnknownRecipient(status: number, reply: string): boolean {
  if (status < 500 || status > 599) return false
  if (isHard('', reply)) return true
  const code = enhanced(reply)
  const open = code === undefined || OPEN_CODES.test(code)
  return open && RECIPIENT_CODES.includes(status) && !ABOUT_US.test(reply) && !TEMPORARY.test(reply)
}

const isAddressCode = (code: string, diagnostic: string): boolean =>
  ADDRESS_CODES.has(code) && !TEMPORARY.test(diagnostic)

/** The first enhanced status code, unlike an IP address. */
const enhanced = (text: string): string | undefined => /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0]
