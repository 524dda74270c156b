/** The console's names for what forms ask in our words. */
import type { LabeledField } from '../../config/school-form.ts'

export const fieldNames: Record<LabeledField, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  company: 'Company',
  address: 'Address',
  city: 'City',
  state: 'State',
  program: 'Program',
  timeline: 'Start',
  interestLevel: 'Interest',
  experience: 'Experience',
  employer: 'Employer',
  source: 'Heard of us',
  message: 'Message',
}
