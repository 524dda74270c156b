/** Why we cannot connect to a mail server, SMTP or IMAP, and what to do about it, in one sentence for people. */

/** `protocol` as in a URL: smtp:, smtps:, imap: or imaps:. */
export type MailServer = { protocol: string; host: string; port: string }

/** A sentence without its period; undefined if nothing is better than the error. `error` has its codes and message. */
export function connectionSentence(error: string, server: MailServer): string | undefined {
  return rules.find(([pattern]) => pattern.test(error))?.[1](server)
}

const isImap = ({ protocol }: MailServer): boolean => protocol.startsWith('imap')
const setting = (server: MailServer): string => (isImap(server) ? 'IMAP_URL' : 'SMTP_URL')

const UNKNOWN_AUTHORITY =
  /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|SELF_SIGNED_CERT|self-signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/

/** The first rule that applies counts. */
const rules: [pattern: RegExp, sentence: (server: MailServer) => string][] = [
  [
    /wrong version number|packet length too long|tls_validate_record_header/i,
    server => {
      const [scheme, usual] = isImap(server) ? ['imap', 993] : ['smtp', 465]
      return `Port ${server.port} does not begin with TLS. In ${setting(server)}, write ${scheme}:// (it uses STARTTLS), or the port for ${scheme}s://, usually ${usual}`
    },
  ],
  [
    UNKNOWN_AUTHORITY,
    ({ host }) =>
      `The certificate of ${host} is not signed by an authority that this machine knows. If it is your school's own authority, set NODE_EXTRA_CA_CERTS to its file, such as /etc/ssl/school-ca.pem`,
  ],
  [/CERT_HAS_EXPIRED|certificate has expired/, ({ host }) => `The certificate of ${host} has expired`],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate/,
    server =>
      `The certificate of the mail server is not for the name ${server.host}. In ${setting(server)}, write the name that is in the certificate`,
  ],
  [
    /ECONNREFUSED/,
    server => `Nothing listens at ${server.host}:${server.port}: check the host and the port in ${setting(server)}`,
  ],
  [
    /ENOTFOUND|EAI_AGAIN|EDNS/,
    server => `The name ${server.host} cannot be resolved: check the host in ${setting(server)}, and DNS`,
  ],
]
