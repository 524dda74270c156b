/** All parts that managers edit in the console, for the pages that name them and link to them. */
import { editedCadence } from '../cadence/cadence-versions.ts'
import { editedForms } from '../forms/forms-page.ts'
import { editedAnswers } from '../school/answers-page.ts'
import { editedBrand } from '../school/brand-page.ts'
import { editedConsent } from '../school/consent-page.ts'
import { editedEmails } from '../school/emails-page.ts'
import { editedHours } from '../school/hours-page.ts'
import { editedPrograms } from '../school/programs-page.ts'
import { editedTeam } from '../team/team-versions.ts'
import type { EditedPage } from './edited-page.ts'

export const editedPages: readonly Pick<EditedPage, 'part' | 'path' | 'action'>[] = [
  editedTeam,
  editedCadence,
  editedHours,
  editedEmails,
  editedPrograms,
  editedBrand,
  editedConsent,
  editedForms,
  editedAnswers,
]
