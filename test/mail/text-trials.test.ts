/** Texts that are tried out: what a slow one may cost everyone else. */
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { createTextTrials } from '../../src/mail/text-trials.ts'
import { SECOND } from '../../src/platform/time.ts'
import type { Links } from '../../src/signed-links.ts'
import { aConfig } from './fixtures.ts'

/** Trials on a thread that is busy for so long each time, in milliseconds, and what is wrong with a text. */
function someTrials() {
  const spent = { now: 0, busy: 0, each: 0 }
  const busy = () => {
    spent.busy += spent.each
    return spent.busy
  }
  const trials = createTextTrials({ ...aConfig(), links: {} as Links, times: { passed: () => spent.now, busy } })
  const problemOf = (text: string) => {
    const typed = { file: 'replies/find-a-time.md', language: 'en', text: `---\nname: Hi\nsubject: Hi\n---\n${text}` }
    const trial = trials.tryOut(typed, 'Ana')
    return 'problem' in trial ? trial.problem : undefined
  }
  return { spent, problemOf }
}

test('after a text that takes long to make, the next one waits, so that most of the time is for everyone else', () => {
  const { spent, problemOf } = someTrials()
  spent.each = 2 * SECOND
  equal(problemOf('Hi'), undefined)
  match(problemOf('Hi') ?? '', /takes too long to render\. Wait 18 seconds/)
  spent.now += 18 * SECOND
  // A usual text makes no one wait.
  spent.each = 200
  for (let i = 0; i < 5; i++) equal(problemOf('Hi'), undefined)
})

test('a text that is given up counts as long, even if the machine had other things to do', () => {
  const { problemOf } = someTrials()
  const loop = '{% for a in (1..1000) %}{% for b in (1..10000) %}{% if b == 0 %}x{% endif %}{% endfor %}{% endfor %}'
  match(problemOf(loop) ?? '', /render limit exceeded/)
  match(problemOf('Hi') ?? '', /Wait 18 seconds/)
})
