/** The headings under which the console shows settings, and what it says about a setting. */

/** The headings, in the order of the page, in words that a manager would look for. */
export const topics = {
  school: 'The school',
  leads: 'Who gets leads',
  calls: 'Calls, hours and follow-up',
  emails: 'Emails',
  forms: 'Forms',
  spam: 'Spam and quarantine',
  accounts: 'Sign-in and accounts',
  keeping: 'Keeping and erasing',
  server: 'The server',
} as const

export type Topic = keyof typeof topics

/** What the console says about a setting: its name, and in a sentence what it does. */
export type Told = { topic: Topic; name: string; says: string }

/** Words under one heading. */
export const under =
  (topic: Topic) =>
  (name: string, says: string): Told => ({ topic, name, says })
