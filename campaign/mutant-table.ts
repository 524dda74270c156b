/** Defects of the product for the simulated month to catch: the text that each replaces, and what it breaks. */

export type Mutant = {
  /** What it breaks, in words. */
  breaks: string
  file: string
  /** Occurs once in the file. */
  text: string
  by: string
  /** The month in which it shows, if that is not the usual one. */
  month?: { leads: number; pace: number }
}

export const mutants: readonly Mutant[] = [
  {
    breaks: 'some reminders are recorded as done, and were never sent',
    file: 'src/tasks/stepping.ts',
    text: 'await deliver(deps, task, content)',
    by: "if (task.lane !== 'follow-up' || task.subject % 10 !== 3) await deliver(deps, task, content)",
  },
  {
    breaks: 'a lead that no one had tried to reach is closed without a warning',
    file: 'src/store/follow-up/claimed-steps.ts',
    text: '!facts.tried && !warned) {',
    by: '!facts.tried && !warned && now < 0) {',
  },
  {
    breaks: 'the manager hears of a missed callback an hour late',
    file: 'src/follow-up/callback-times.ts',
    text: 'const ESCALATED_AFTER = [15, 60]',
    by: 'const ESCALATED_AFTER = [15, 120]',
  },
  {
    breaks: 'the counselor of the lead is told to call where a colleague has promised it',
    file: 'src/tasks/messages/lead-messages.ts',
    text: 'const owner = isStaff ? assignee : lead.owner',
    by: 'const owner = isStaff ? lead.owner : lead.owner',
  },
  {
    breaks: 'a callback email that the clock had moved comes before its time',
    file: 'src/tasks/messages/lead-messages.ts',
    text: '[copy] ?? dueAt',
    by: '[-1] ?? dueAt',
  },
  {
    breaks: 'a call today ends the callback that is promised for next week',
    file: 'src/store/actions/record-call.ts',
    text: '({ dueAt }) => dueAt <= now + EARLY',
    by: '({ dueAt }) => dueAt <= now + 1000 * EARLY',
  },
  {
    breaks: 'a callback is lost when someone takes back that they called',
    file: 'src/store/actions/undo-action.ts',
    text: 'if (callbacks.length > 0) await reopenCallbacks',
    by: 'if (callbacks.length > 99) await reopenCallbacks',
  },
  {
    breaks: 'a callback that was taken back stays open',
    file: 'src/store/actions/callbacks.ts',
    text: 'await endCallbacks(tx, lead, one => one.id === callback, ending)',
    by: 'await endCallbacks(tx, lead, one => one.id === -callback, ending)',
  },
  {
    breaks: 'Today shows a person twice who was promised a call and is new',
    file: 'src/console/lists/today.ts',
    text: 'const leads = due.leads.filter(notYet)',
    by: 'const leads = [...due.leads.filter(notYet), ...wroteBack]',
  },
  {
    breaks: 'someone who wrote back after they were reached waits on no list',
    file: 'src/store/follow-up/unanswered.ts',
    text: 'if (unanswered_since === null) await',
    by: "if (unanswered_since === null && stage === 'new') await",
  },
  {
    breaks: 'a person whose lead is closed waits on no list when they write back',
    file: 'src/store/follow-up/unanswered.ts',
    text: 'if (unanswered_since === null) await',
    by: "if (unanswered_since === null && stage !== 'closed') await",
  },
  {
    breaks: 'a person gets a second receipt within a day',
    file: 'src/store/filing/receipts.ts',
    text: 'const RECEIPT_INTERVAL = DAY',
    by: 'const RECEIPT_INTERVAL = DAY / 1e6',
  },
  {
    breaks: 'the follow-up of a paused lead goes on',
    file: 'src/store/follow-up/claimed-steps.ts',
    text: "paused: lead.paused_at !== null && lead.stage === 'new',",
    by: "paused: lead.paused_at !== null && lead.stage === 'new' && lead.id < 0,",
  },
  {
    breaks: 'people who unsubscribed get follow-up emails',
    file: 'src/follow-up/stop-conditions.ts',
    text: "if (track === 'student' && facts.suppressed !== null)",
    by: "if (track === 'student' && facts.suppressed === 'bounced')",
  },
  {
    breaks: 'people that the staff entered with a phone number alone are to get emails',
    file: 'src/tasks/lead-filing.ts',
    text: '(form?.entered ?? form?.source)?.mayWrite ?? true',
    by: 'form?.entered === undefined ? (form?.source?.mayWrite ?? true) : form.entered.importId === undefined',
  },
  {
    breaks: 'every fortieth notification is recorded as sent, and was not',
    file: 'src/tasks/outbox.ts',
    text: 'await deliver(deps, task, content)',
    by: "if (task.kind !== 'notify' || task.subject % 40 !== 3) await deliver(deps, task, content)",
  },
  {
    breaks: 'an import starts the reminders',
    file: 'src/tasks/lead-filing.ts',
    text: "isImported(form?.entered) ? track !== 'staff' && mayWriteTo(form)",
    by: 'isImported(form?.entered) ? mayWriteTo(form)',
  },
  {
    breaks: 'some of the people on a list stay when it is undone',
    file: 'src/store/imports/undo-rows.ts',
    text: 'const undone = ids.filter(id => !kept.has(id))',
    by: 'const undone = ids.filter(id => !kept.has(id) && id % 2 === 0)',
  },
  {
    breaks: 'a list that is undone takes those with it who were worked on',
    file: 'src/store/imports/undo-rows.ts',
    text: 'return new Set(others.map(row => row.lead_id))',
    by: 'return new Set(others.slice(99).map(row => row.lead_id))',
  },
  {
    breaks: 'the retention rules erase a day too early',
    file: 'src/tasks/retention-erasing.ts',
    text: 'Math.max(eraseAt, listedAt + privacy.eraseNoticeDays * DAY)',
    by: 'Math.max(eraseAt, listedAt + privacy.eraseNoticeDays * DAY) - DAY',
  },
  {
    breaks: 'the retention rules erase who was closed for less than their time',
    file: 'src/follow-up/erasure-days.ts',
    text: 'subtract({ months })',
    by: 'subtract({ months }).add({ days: 20 })',
  },
  {
    breaks: 'the retention rules forget some people',
    file: 'src/store/privacy/planned-erasures.ts',
    text: 'if (++looked > MOST_LOOKED_AT)',
    by: 'if (row.id % 2 > 0) continue\n    if (++looked > MOST_LOOKED_AT)',
  },
  {
    breaks: 'the retention rules erase who was to be kept',
    file: 'src/store/privacy/planned-erasures.ts',
    text: 'return hold !== undefined',
    by: 'return hold === null',
  },
  {
    breaks: 'a callback is lost when two leads are merged',
    file: 'src/store/merging/merge-leads.ts',
    text: 'const callbacks = await moveCallbacks(tx, { from: otherId, to: id })',
    by: 'const callbacks: number[] = []',
  },
  {
    breaks: 'a callback stays with the lead that is kept when two leads are separated again',
    file: 'src/store/merging/unmerge-lead.ts',
    text: 'ids: record.callbacks, now',
    by: 'ids: [], now',
  },
  {
    breaks: 'the emails to a lead go on after it was merged',
    file: 'src/store/merging/merge-leads.ts',
    text: "const closed = { stage: 'closed', closed_reason: 'duplicate', merged_into: kept.id, unanswered_since: null }",
    by: 'const closed = { merged_into: kept.id, unanswered_since: null }',
  },
  {
    breaks: 'no one is reminded of two who wait and were merged',
    file: 'src/store/merging/merge-leads.ts',
    text: 'if (waits) await restartSteps(tx, kept.id, tracks, now)',
    by: 'if (waits) await restartSteps(tx, kept.id, [], now)',
  },
  {
    breaks: 'a person who was reached by mistake counts as reached, although someone took that back',
    file: 'src/store/actions/undo-action.ts',
    text: '...(stage !== undefined && { stage }),',
    by: "...(stage !== undefined && stage !== 'new' && { stage }),",
  },
  {
    breaks: 'a person who was erased is still called, since someone had promised that',
    file: 'src/store/privacy/erasure.ts',
    text: 'const messages = tasksAbout({ ...filed, submissions })',
    by:
      "const promised = tx.selectFrom('callbacks').select('id').where('lead_id', 'in', [0, ...filed.leads])\n" +
      "  if ((await promised.where('ended_at', 'is', null).execute()).length > 0) return NOTHING\n" +
      '  const messages = tasksAbout({ ...filed, submissions })',
  },
  {
    breaks: 'an email that someone wrote for a later day comes at once',
    file: 'src/store/mail/messages.ts',
    text: 'due_at: dueAt,',
    by: 'due_at: now,',
  },
  {
    breaks: 'moving a callback pauses the follow-up for good',
    file: 'src/store/actions/callbacks.ts',
    text: 'paused || (moved === undefined && lead',
    by: 'paused || (moved !== null && lead',
  },
  {
    breaks: 'the staff are reminded on holidays',
    file: 'src/follow-up/school-hours.ts',
    text: 'holidays.flatMap(holiday => {',
    by: 'holidays.slice(99).flatMap(holiday => {',
  },
  {
    breaks: 'an event that a program of the school could not take is not sent again',
    file: 'src/destinations/webhook.ts',
    text: "? 'stop' : 'failed'",
    by: "? 'stop' : 'stop'",
  },
  {
    breaks: 'a program of the school that fails is switched off after two days',
    file: 'src/destinations/retries.ts',
    text: 'const GIVE_UP_AFTER = 5 * DAY',
    by: 'const GIVE_UP_AFTER = 2 * DAY',
  },
  {
    breaks: 'a program that is switched on again does not hear what it missed',
    file: 'src/store/destinations/destinations.ts',
    text: ".$if(!missed, query => query.where('type', '=', 'lead.erased'))",
    by: ".$if(missed, query => query.where('type', '=', 'lead.erased'))",
  },
  {
    breaks: 'the channel of a chat does not hear of someone who waits',
    file: 'src/tasks/stepping.ts',
    text: "['backup', 'manager', 'chat'].includes(",
    by: "['backup', 'manager'].includes(",
  },
  {
    breaks: 'the first reminder about every tenth lead comes a day late',
    file: 'src/tasks/stepping.ts',
    text: 'const open = calendar.hoursFor(followUp.lead)[step.clock].open(now)',
    by:
      'const late = task.subject % 10 === 3 && task.step === 0 && task.note === null ? 24 * HOUR : 0\n' +
      '  const open = calendar.hoursFor(followUp.lead)[step.clock].open(now) + late',
  },
  {
    breaks: 'the second follow-up email to a student comes two days late',
    file: 'src/tasks/stepping.ts',
    text: 'const open = calendar.hoursFor(followUp.lead)[step.clock].open(now)',
    by:
      'const late = task.step === 4 && task.note === null ? 48 * HOUR : 0\n' +
      '  const open = calendar.hoursFor(followUp.lead)[step.clock].open(now) + late',
  },
  {
    breaks: 'the best time to call changes nothing',
    file: 'src/follow-up/calendar.ts',
    text: 'bestTime && atBestTime(bestTime, zones, window)',
    by: "null && atBestTime(bestTime ?? 'evening', zones, window)",
  },
  {
    breaks: 'a person is never called whose best time does not come while the school is open',
    file: 'src/follow-up/calling-hours.ts',
    text: 'return part !== undefined && part.from < end ? part : any',
    by: 'return part ?? { from: any.from + 30 * DAY, to: any.to + 30 * DAY }',
  },
  {
    breaks: 'no list names someone who was promised a call that no one has made',
    file: 'src/store/follow-up/unattended-leads.ts',
    text: ".where('due_at', '<', unansweredSince)",
    by: ".where('due_at', '<', 0)",
  },
  {
    breaks: 'a new lead that someone is to find in their daily digest is in none',
    file: 'src/tasks/messages/daily-digest.ts',
    text: 'if (content === undefined ||',
    by: 'if (taskId % 2 === 0 || content === undefined ||',
  },
  {
    breaks: 'someone whose browser cannot be reached gets no email instead',
    file: 'src/tasks/browser-notices.ts',
    text: "return results.includes('woken')",
    by: 'return results.length > 0',
  },
  {
    breaks: 'no one is told that no email goes out',
    file: 'src/tasks/late-work-watch.ts',
    text: 'task.attempts >= AGAIN_AND_AGAIN &&',
    by: 'task.attempts >= 300 &&',
    // In longer steps, no outage lasts for as many of them as may pass until someone is told.
    month: { leads: 100, pace: 1 },
  },
  {
    breaks: 'admins are told that no email goes out although it does again',
    file: 'src/tasks/late-work-watch.ts',
    text: '(sentAt === null ||',
    by: '(sentAt !== undefined ||',
    // In longer steps, or with more leads, some email goes out before each look, so the alarm ends anyway.
    month: { leads: 100, pace: 1 },
  },
  {
    breaks: 'what someone writes under the address of a merged lead opens another lead',
    file: 'src/store/leads/merged-leads.ts',
    text: "if (kept !== undefined && kept.stage !== 'closed')",
    by: "if (kept !== undefined && kept.stage === 'closed')",
  },
  {
    breaks: 'what someone wrote under the address of a merged lead stays with the other when they are separated',
    file: 'src/store/merging/unmerge-lead.ts',
    text: ".where('merged_from', 'in', ids)",
    by: ".where('merged_from', 'in', ids)\n    .where('id', '<', entry)",
  },
  {
    breaks: 'an email for a far day counts as an answer before it is sent',
    file: 'src/store/mail/messages.ts',
    text: 'dueAt - now > ANSWERS_WITHIN ? {}',
    by: 'dueAt - now > 99 * ANSWERS_WITHIN ? {}',
  },
  {
    breaks: 'an email for a far day does not count as an answer once it is sent',
    file: 'src/store/mail/messages.ts',
    text: 'await answerEarlier(tx, lead, entry.id, now)',
    by: 'if (now < 0) await answerEarlier(tx, lead, entry.id, now)',
  },
  {
    breaks: 'an email for a far day answers what the person wrote after it',
    file: 'src/store/follow-up/unanswered.ts',
    text: 'next === undefined ? null : Math.max(next, unanswered_since)',
    by: 'null',
  },
  {
    breaks: 'a person waits again for what an email for a far day has answered, once a later answer is canceled',
    file: 'src/store/follow-up/unanswered.ts',
    text: 'const next = sent === undefined ?',
    by: 'const next = sent !== 0 ?',
  },
  {
    breaks: 'someone who waits for an answer is not on the list of the school mornings',
    file: 'src/store/follow-up/unattended-leads.ts',
    text: "'unanswered_since', '<', unansweredSince",
    by: "'unanswered_since', '<', 0",
  },
  {
    breaks: 'only one of the emails of someone who leaves is withdrawn',
    file: 'src/lead-actions/withdraw-emails.ts',
    text: 'limit: MOST }',
    by: 'limit: 1 }',
  },
  {
    breaks: 'the emails of someone who was disabled with a command are sent',
    file: 'src/tasks/messages/written-messages.ts',
    text: 'const author = await authorOf(deps, entry)',
    by: "const author = (await authorOf(deps, entry)) ?? entry.actor ?? ''",
  },
  {
    breaks: 'a person no longer waits whose answer is not sent since its author has left',
    file: 'src/store/mail/scheduled-messages.ts',
    text: 'await waitAgain(tx, lead, entry)',
    by: 'if (now < 0) await waitAgain(tx, lead, entry)',
  },
  {
    breaks: 'no one is told of an email that is not sent since its author has left',
    file: 'src/store/mail/scheduled-messages.ts',
    text: "await addMail(tx, 'news', entryId,",
    by: "if (now < 0) await addMail(tx, 'news', entryId,",
  },
  {
    breaks: 'the text of an email is lost whose author has left',
    file: 'src/store/mail/scheduled-messages.ts',
    text: 'if (operatorId !== undefined) {',
    by: 'if (operatorId === 0) {',
  },
  {
    breaks: 'the manager gets what is for the manager during an absence',
    file: 'src/mail/staff-addressees.ts',
    text: 'admissions.manager !== undefined && !missing.has(MANAGER)',
    by: 'admissions.manager !== undefined',
  },
  {
    breaks: 'the weekly report goes to the team while the manager is away',
    file: 'src/tasks/messages/weekly-report.ts',
    text: '...(await recipient(store, settings, addressees))',
    by: "...(await addressees.manager('student', now))",
  },
]
