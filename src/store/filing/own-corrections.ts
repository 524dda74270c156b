/**
 * On the page after a form, someone corrects the number or the address that they have just given. Only a lead that this
 * form has opened is corrected, since anyone can send a form in the name of a person who already has a lead, and only
 * while the lead is new and the staff have not corrected anything.
 */
import { sql, type Transaction } from 'kysely'
import { type FormDetails, readFormDetails } from '../../leads/body/form-details.ts'
import { personKey } from '../../leads/body/person-key.ts'
import { correctIn, listEmailsToPerson } from '../actions/correct-lead.ts'
import { asLead, findOpenLead, type LockedLead, lockLead } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'

/**
 * The most submissions that can belong together: the first form, its second step, the best time to call, and
 * corrections. Further corrections count as new inquiries.
 */
const LONGEST_CHAIN = 8

type Correcting = Pick<Filing & LeadFiling, 'submission' | 'person'>

/** Whether a submission corrects the lead. If not, it is simply a further inquiry. */
export async function correctsOwn(tx: Transaction<Schema>, filing: Correcting, leadId: number): Promise<boolean> {
  const { form } = filing.submission
  if (!form?.corrects || !(await hasOpened(tx, leadId, form))) return false
  const lead = await tx.selectFrom('leads').selectAll().where('id', '=', leadId).executeTakeFirst()
  return lead !== undefined && (await mayCorrect(tx, lead)) && !(await isOfAnother(tx, lead, filing))
}

/** Corrects the lead that the submission has joined. */
export async function correctOwn(
  tx: Transaction<Schema>,
  filing: Correcting,
  { leadId, now }: { leadId: number; now: number },
): Promise<void> {
  const lead = await lockLead(tx, leadId)
  if (lead === undefined || !(await mayCorrect(tx, lead))) return
  const contact = contactIn(filing, lead)
  if (contact.email === lead.email && contact.phone === lead.phone) return
  const sent = await listEmailsToPerson(tx, asLead(lead))
  await correctIn(tx, lead, { ...contact, again: sent.map(({ task }) => task.id) }, { actor: null, now })
}

const mayCorrect = async (
  tx: Transaction<Schema>,
  { id, stage, corrected_at, merged_into }: LockedLead,
): Promise<boolean> =>
  stage === 'new' && merged_into === null && (corrected_at === null || !(await haveStaffCorrected(tx, id)))

async function haveStaffCorrected(tx: Transaction<Schema>, leadId: number): Promise<boolean> {
  const byStaff = tx
    .selectFrom('timeline')
    .select('id')
    .where('lead_id', '=', leadId)
    .where('kind', '=', sql.lit('corrected'))
    .where('actor', 'is not', null)
  return (await byStaff.executeTakeFirst()) !== undefined
}

/** The contact data that the person gives now, completed with what the lead has. */
function contactIn({ submission: { body }, person }: Correcting, lead: LockedLead) {
  const { email = lead.email, phone = lead.phone } = body
  return { email, phone, phoneE164: body.phone === undefined ? lead.phone_e164 : (person.phoneE164 ?? null) }
}

/** Whether the new address or number belongs to another open lead. */
async function isOfAnother(tx: Transaction<Schema>, lead: LockedLead, filing: Correcting): Promise<boolean> {
  const { phoneE164, ...contact } = contactIn(filing, lead)
  const person_key = personKey(contact, phoneE164)
  return person_key !== lead.person_key && (await findOpenLead(tx, { person_key, kind: lead.kind })) !== undefined
}

/** Whether the submissions that this one completes begin with the one that has opened the lead. */
async function hasOpened(tx: Transaction<Schema>, leadId: number, { completes }: FormDetails): Promise<boolean> {
  let before = completes
  for (let step = 0; step < LONGEST_CHAIN && before !== undefined && before !== leadId; step++) {
    const row = await tx.selectFrom('submissions').select('form').where('id', '=', before).executeTakeFirst()
    before = readFormDetails(row?.form ?? null)?.completes
  }
  return before === leadId
}
