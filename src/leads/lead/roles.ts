/** What an operator, a person who signs in to the console, may do there: the roles from most to least. */

export const roles = ['admin', 'manager', 'counselor', 'viewer'] as const

export type Role = (typeof roles)[number]
