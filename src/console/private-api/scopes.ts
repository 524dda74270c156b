/** What a token can be allowed to do, within what its operator may do. */
export const scopes = {
  'leads:read': 'Read leads: who they are, what they wrote, and what happened',
  'leads:stage': 'Change the stage of leads, and close them',
  'leads:note': 'Add notes to leads',
  'leads:assign': 'Assign leads to counselors',
  hooks: 'Subscribe URLs to events, if it acts for an admin',
} as const

export type Scope = keyof typeof scopes

export const everyScope = Object.keys(scopes) as Scope[]

export const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text)
