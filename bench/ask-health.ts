/**
 * Asks for /healthz at fixed times until its input ends, then prints the latencies as JSON. A process of its own: a
 * load client that is busy would make the service look slow.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Latencies, type Percentiles } from './latency.ts'
import { askHealth } from './visitor.ts'

/** How long connections took to open, and responses to come from then on. */
export type Health = { connect: Percentiles; answer: Percentiles }

/** How often it asks, in milliseconds. */
const EVERY = 100

const port = Number(process.argv[2])
const [connect, answer] = [new Latencies(), new Latencies()]
const asked: Promise<void>[] = []
let ending = false
process.stdin.resume().on('end', () => {
  ending = true
})
for (let due = performance.now(); !ending; due += EVERY) {
  await sleep(Math.max(0, due - performance.now()))
  asked.push(
    askHealth(port).then(took => {
      connect.record(took.connect)
      answer.record(took.answer)
    }),
  )
}
await Promise.all(asked)
process.stdout.write(JSON.stringify({ connect: connect.percentiles(), answer: answer.percentiles() }))
process.exit()
