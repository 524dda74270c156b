/** The roles of operators (people who sign in to the console), from the one that may do most to the least. */

export const roles = ['admin', 'manager', 'counselor', 'viewer'] as const

export type Role = (typeof roles)[number]
