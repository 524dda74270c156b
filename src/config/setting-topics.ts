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

/** The settings of a topic that say best what else it has, by their names, for a topic with more than a few. */
export const telling: Partial<Record<Topic, readonly string[]>> = {
  school: ['Programs', 'Languages', 'Privacy policy'],
  calls: ['School hours', 'Holidays', 'Follow-up of students'],
  emails: ['Texts of emails', 'Weekly report', 'Mail server'],
  forms: ['Students: fields', 'Students: consent', 'Websites with the forms'],
  spam: ['Signs of spam', 'Days in quarantine', 'Limit'],
  accounts: ['Roles that need a second factor', 'Student accounts', 'Students with an account'],
  keeping: ['Months we keep closed leads', 'Days we keep the audit log', 'People who must agree to erase'],
  server: ['Site host', 'Database', 'Data folder'],
}

/** What the console says about a setting: its name, and in a sentence what it does. */
export type Told = { topic: Topic; name: string; says: string }

/** Words under one heading. */
export const under =
  (topic: Topic) =>
  (name: string, says: string): Told => ({ topic, name, says })
