/** Texts that are tried out: what a slow one may cost everyone else. */
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { createTextTrials } from '../../src/mail/text-trials.ts'
import { SECOND } from '../../src/platform/time.ts'
import type { Links } from '../../src/signed-links.ts'
import { aConfig } from './fixtures.ts'

test('after a text that takes long to make, the next one waits, so that most of the time is for everyone else', () => {
  let [now, busy, takes] = [0, 0, 2 * SECOND]
  const times = {
    passed: () => now,
    busy: () => {
      busy += takes
      return busy
    },
  }
  const trials = createTextTrials({ ...aConfig(), links: {} as Links, times })
  const tryOut = () =>
    trials.tryOut(
      { file: 'replies/find-a-time.md', language: 'en', text: '---\nname: Hello\nsubject: Hi\n---\nHi' },
      'Ana',
    )
  const problemNow = () => {
    const trial = tryOut()
    return 'problem' in trial ? trial.problem : undefined
  }

  equal(problemNow(), undefined)
  match(problemNow() ?? '', /takes too long to make\. Wait 18 seconds/)
  now += 18 * SECOND
  // A usual text makes no one wait.
  takes = 200
  for (let i = 0; i < 5; i++) equal(problemNow(), undefined)
})
