/** What filing decides about a submission, before the store carries it out. */
import type { Submission } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import type { Person } from '../leads/leads.ts'
import type { CadenceStart } from './join-or-open-lead.ts'

export type Filing = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt' | 'body' | 'form'>
  /** The key of the person who sent it. */
  sender: string
  released: boolean
  signals: string[]
  textDigest: string | undefined
} & ({ quarantineReason: QuarantineReason } | LeadFiling)

/** What else filing decides about a submission that becomes part of a lead, unless it is one of too many. */
export type LeadFiling = {
  person: Person
  /** Why the person gets no receipt, if that is known already. */
  noReceipt: string | undefined
  addressHashes: readonly string[]
  /**
   * Whether the learning site has an account for the address. `revealed`: the response said so. `concealed`: only an
   * email to the address says so.
   */
  account: 'none' | 'revealed' | 'concealed'
  cadenceStart: CadenceStart | null
  /** The lead of their address, if it was merged into another: the submission joins that one, as `person` says. */
  mergedFrom?: number | undefined
  /** The lead with the inquiry that this completes, if it is open: `person` then has its address and key. */
  completes?: number | undefined
  /** The school's programs that the person has named, starting with the one that they chose. */
  programs: readonly string[]
  /** How warm their answers are, from 0 to 100; null if nothing says so. */
  heat: number | null
}
