/** Bodies as people send them. A test names only the fields that matter to it. */
let count = 0

/** A valid body of operation A, a different one each time. */
export const aSite = (over: Record<string, unknown> = {}, now = Date.parse('2026-11-21T20:00:00Z')) => {
  const n = ++count
  return {
    firstName: 'Ana',
    lastName: 'Ruiz',
    email: `ana.ruiz.${n}@mercy.example`,
    phone: '(512) 555-0142',
    company: 'Mercy Hospital',
    address: '100 Main Street, Austin, TX 78701',
    message: `We would like to host two students in spring (${n}).`,
    website: '',
    startedAt: now - 60_000,
    ...over,
  }
}

/** A valid body of operation B, a different one each time. */
export const aStudent = (over: Record<string, unknown> = {}) => {
  const n = ++count
  return {
    firstName: 'Ben',
    lastName: 'Okafor',
    email: `ben.okafor.${n}@mail.example`,
    phone: '512-555-0199',
    city: 'Austin',
    state: 'TX',
    interestLevel: '1 - Ready to enroll',
    timeline: '2 - Within three months',
    experience: '0 - None',
    source: '3 - A friend',
    employer: 'Lone Star Diner',
    message: 'Are there evening classes?',
    idempotencyKey: `key-${n}`,
    ...over,
  }
}
