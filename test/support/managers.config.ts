/** Settings of a school with a team, whose closed leads are erased after half a year. */
import type { PartialSettings } from '../../src/config/settings.ts'
import type { EmailAddress } from '../../src/leads/body/email.ts'

const member = (id: string, weight: number) => ({
  id,
  name: `${id[0]?.toUpperCase()}${id.slice(1)} Example`,
  email: `${id}@school.example` as EmailAddress,
  weight,
})

export default {
  admissions: {
    counselors: [{ ...member('maria', 1), states: ['TX'] }, member('sam', 1), member('jo', 2)],
    manager: { name: 'Dana Kim', email: 'dana@school.example' as EmailAddress },
  },
  privacy: { closedLeadMonths: 6 },
} satisfies PartialSettings
