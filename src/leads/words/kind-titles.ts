/** The names of the two kinds of leads on pages and in emails for the staff. */
import type { Kind } from '../body/submission.ts'

export const kindTitles: Record<Kind, string> = { student: 'Students', site: 'Sites' }
