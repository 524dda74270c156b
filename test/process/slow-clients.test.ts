import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SECOND } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { startProcess } from '../support/process.ts'
import { nineOfTen } from './faults.ts'
import { post, RawClient } from './raw-client.ts'

describe('slow clients', () => {
  test('get 408 and are cut off, and do not delay others', async t => {
    const { origin, stdout, now } = await startProcess(t)
    const request = post('/api/site-interest', aSite())
    const halfHeaders = request.slice(0, 60)
    const halfBody = request.slice(0, -20)
    const begun = now()
    const since = () => now() - begun

    /** Sends a part and then a byte every second. Returns when the response came and when it was cut off. */
    async function slow(part: string, dribble: string, to = origin.site) {
      const client = await RawClient.connect(to)
      client.write(part)
      const dribbling = setInterval(() => dribble && client.socket.write(dribble), SECOND)
      const response = await client.response()
      const responded = since()
      clearInterval(dribbling)
      client.socket.end()
      await client.ended
      equal(response.status, 408)
      deepEqual(Object.keys(response.body as object), ['error'])
      equal(response.headers['connection'], 'close')
      equal(response.headers['access-control-allow-origin'], '*')
      return { responded, cutOff: since() }
    }

    async function silent() {
      const client = await RawClient.connect(origin.site)
      await client.ended
      return since()
    }

    /** How long others wait meanwhile, in milliseconds. */
    async function others() {
      const times: number[] = []
      let turnedAway = 0
      while (since() < 9 * SECOND) {
        const asked = now()
        const body = JSON.stringify(aSite({}, Date.now()))
        const headers = { 'Content-Type': 'application/json' }
        const url = `${origin.site}/api/site-interest`
        const { status } = await fetch(url, { method: 'POST', headers, body })
        if (status === 503) turnedAway++
        else equal(status, 200)
        times.push(now() - asked)
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      // One after the other, a machine that stands still for seconds has few of them turned away.
      ok(turnedAway <= times.length / 10, `${turnedAway} of ${times.length} others got 503`)
      return nineOfTen(times)
    }

    const many = <T>(client: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, client))
    // On the port of the console, uploads may take longer, but not those of strangers.
    const upload = `POST /import HTTP/1.1\r\nHost: ${new URL(origin.console).host}\r\nOrigin: ${origin.console}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 30000\r\n\r\n--x`
    const [headers, bodies, dribbled, uploaded, silents, usual] = await Promise.all([
      many(() => slow(halfHeaders, '')),
      many(() => slow(halfBody, '')),
      many(() => slow(halfBody, ' ')),
      slow(upload, ' ', origin.console),
      many(silent),
      others(),
    ])
    const last = (ends: { cutOff: number }[]) => Math.max(...ends.map(end => end.cutOff))
    t.diagnostic(
      `half headers ${last(headers).toFixed(0)} ms, half body ${last(bodies).toFixed(0)} ms, dribbled ${last(dribbled).toFixed(0)} ms, silent ${Math.max(...silents).toFixed(0)} ms; nine of ten others waited at most ${usual.toFixed(0)} ms`,
    )
    // The limits are 5 and 10 seconds. A slow machine takes some time, too, but a client without a limit never ends.
    ok(last(headers) < 20 * SECOND)
    ok(last(bodies) < 30 * SECOND)
    ok(last(dribbled) < 30 * SECOND)
    ok(uploaded.cutOff < 30 * SECOND)
    ok(Math.max(...silents) < 30 * SECOND)
    ok(usual < SECOND)
    match(stdout(), /"msg":"ready"/)
    equal(stdout().includes('"level":50'), false, 'a slow client was logged as an error of ours')
  })
})
