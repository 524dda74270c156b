/** Numbers that a person gave in a further inquiry or in a reply, besides the one that we call. */
import type { Settings } from '../../config/settings.ts'
import { telLink } from '../../content/contact-links.ts'
import { isSameNumber, numbersIn, readablePhone } from '../../leads/body/phone.ts'
import { wasCorrected } from '../../leads/lead/corrections.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { LeadPage } from '../../store/pages/lead-page.ts'

export type FurtherNumber = { phone: string; url: string; given: string }

type Context = {
  ofInquiries: readonly FurtherNumber[]
  school: Settings['school']
  /** A moment in few words. */
  moment: (time: number) => string
}

/** The numbers in inquiries, then those in replies, each once, without numbers that someone has since corrected. */
export function furtherNumbers(
  { lead, timeline }: Pick<LeadPage, 'lead' | 'timeline'>,
  { ofInquiries, school, moment }: Context,
): FurtherNumber[] {
  const { country, phone: ours } = school
  const corrections = timeline.flatMap(({ kind, at, was, undoneAt }) =>
    kind === 'corrected' && undoneAt === null ? { at, phone: was?.phone } : [],
  )
  const replies = timeline.filter(({ kind, mail }) => kind === 'reply' && !mail?.unproven)
  const written = replies.flatMap(({ detail, at }) =>
    numbersIn(detail, country)
      .filter(phone => !wasCorrected(phone, at, corrections))
      .map(phone => ({
        phone: readablePhone(phone, country),
        url: telLink(phone, country) ?? '',
        given: `in a reply, ${moment(at)}`,
      })),
  )
  const known = [lead.phone, lead.wrongPhone, ours].filter(one => one !== null && one !== undefined)
  const all = [...ofInquiries, ...written]
  return all.filter(
    ({ phone }, index) =>
      !known.some(one => isSameNumber(one, phone)) && all.findIndex(one => isSameNumber(one.phone, phone)) === index,
  )
}

/** Whether someone called the number of the lead and found it to be wrong. */
export const hasWrongNumber = ({ phone, wrongPhone }: Lead): boolean => phone !== null && phone === wrongPhone
