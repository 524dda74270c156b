/** A passkey without a browser: it makes and signs what an authenticator with ES256 does, also what none would. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const NEW_CREDENTIAL = 0x40

/** What the page asks for, as its form has it in `data-options`. */
type Asked = { challenge: string; rpId?: string; rp?: { id: string } }

/** The options of the form that makes or uses a passkey on a page of the console. */
export function passkeyOptions(page: string): Asked {
  const [, options = ''] = /data-options="([^"]*)"/.exec(page) ?? []
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as Asked
}

/** A new passkey with this id, for pages of this origin. Both functions return the field `response` of the form. */
export function newPasskey(origin: string, id: Buffer = randomBytes(16)) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  let counter = 0

  return {
    id: id.toString('base64url'),
    make(asked: Asked): string {
      const length = Buffer.from([id.length >> 8, id.length & 255])
      const key = [Buffer.from('a5010203262001215820', 'hex'), bytes(x), Buffer.from('225820', 'hex'), bytes(y)]
      const data = Buffer.concat([authData(asked, NEW_CREDENTIAL), Buffer.alloc(16), length, id, ...key])
      const head = Buffer.from([0x58, data.length])
      const map = ['a363', text('fmt'), '64', text('none'), '67', text('attStmt'), 'a068', text('authData')].join('')
      const attestationObject = Buffer.concat([Buffer.from(map, 'hex'), head, data]).toString('base64url')
      return credential({
        clientDataJSON: clientData('webauthn.create', asked).toString('base64url'),
        attestationObject,
      })
    },
    use(asked: Asked): string {
      const data = authData(asked, 0)
      const client = clientData('webauthn.get', asked)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      const parts = { clientDataJSON: client, authenticatorData: data, signature }
      const encoded = Object.entries(parts).map(([name, part]) => [name, part.toString('base64url')])
      return credential(Object.fromEntries(encoded))
    },
  }

  function authData({ rpId, rp }: Asked, flags: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const flag = Buffer.from([USER_PRESENT | USER_VERIFIED | flags])
    return Buffer.concat([sha256(Buffer.from(rpId ?? rp?.id ?? '')), flag, count])
  }

  function credential(response: Record<string, string>): string {
    const name = id.toString('base64url')
    return JSON.stringify({ id: name, rawId: name, type: 'public-key', response, clientExtensionResults: {} })
  }

  function clientData(type: string, { challenge }: Asked): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }
}

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest()
const bytes = (base64url: string): Buffer => Buffer.from(base64url, 'base64url')
const text = (ascii: string): string => Buffer.from(ascii).toString('hex')
