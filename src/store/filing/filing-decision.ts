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

/** For a submission that becomes part of a lead, unless there were many. */
export type LeadFiling = {
  person: Person
  /** Why no receipt is sent, if that is known already. */
  noReceipt: string | undefined
  addressHashes: readonly string[]
  /**
   * Whether the learning site has an account for the address. `revealed`: the response told the
   * sender. `concealed`: only an email to the address tells.
   */
  account: 'none' | 'revealed' | 'concealed'
  cadenceStart: CadenceStart | null
  /**
   * The lead of their address, if that was merged into another: the submission joins that one, and `person` has its
   * address and key.
   */
  mergedFrom?: number | undefined
  /** The lead that has the inquiry which the submission completes, if that is open: `person` has its address and key. */
  completes?: number | undefined
  /** The programs of the school that the person has named, the one that they chose first. */
  programs: readonly string[]
  /** How warm their answers are, from 0 to 100; null if nothing says so. */
  heat: number | null
}
