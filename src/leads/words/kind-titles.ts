/** What the two kinds of leads are called on the pages and in the emails of the staff. */
import type { Kind } from '../body/submission.ts'

export const kindTitles: Record<Kind, string> = { student: 'Students', site: 'Sites' }
