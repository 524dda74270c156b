/** The store methods about leads: finding one, what happened to it, and what staff do with it. */

import { assignLead } from './assign-lead.ts'
import { withdrawConsent } from './consent.ts'
import { correctLead, listEmailsToPerson } from './corrections.ts'
import {
  findEarlierLeads,
  findLeadsAt,
  findLeadsByEmail,
  findLeadsByPhone,
  searchLeads,
} from './find-leads.ts'
import {
  addLabel,
  countLabeled,
  deleteTag,
  findLabel,
  listLabels,
  readLabels,
  removeLabel,
  renameTag,
} from './labels.ts'
import { readLead } from './lead-history.ts'
import { readLatest, readLeadOfSubmission } from './lead-of-submission.ts'
import { recentOrigins } from './lead-origins.ts'
import { countHistory, readChangesSince, readLatestEntryBy, readLeadPage } from './lead-page.ts'
import { readPhones } from './lead-phones.ts'
import { findExactLead, findLead, readSubmissionsOf } from './leads.ts'
import { mergeCandidates } from './merge-candidates.ts'
import { addressesOfPerson, readMergedLeads } from './merged-leads.ts'
import { mergeLeads } from './merging.ts'
import { pauseLead, resumeLead } from './pauses.ts'
import { readCorrections } from './read-corrections.ts'
import { listRecentActions } from './recent-actions.ts'
import { skipStep, takeBack } from './skip-and-take-back.ts'
import { addNote, changeStage, recordCallAttempt, requestFreshLink } from './staff-actions.ts'
import { countEmails, readEntry, readLatestEntry } from './timeline.ts'
import { readUndoable, undoAction } from './undoing.ts'
import { unmergeLead } from './unmerging.ts'

export const leadMethods = {
  addLabel,
  addNote,
  addressesOfPerson,
  assignLead,
  changeStage,
  correctLead,
  countHistory,
  countEmails,
  countLabeled,
  deleteTag,
  findEarlierLeads,
  findExactLead,
  findLabel,
  findLead,
  findLeadsAt,
  findLeadsByEmail,
  findLeadsByPhone,
  listEmailsToPerson,
  listLabels,
  listRecentActions,
  mergeCandidates,
  mergeLeads,
  pauseLead,
  readChangesSince,
  readCorrections,
  readEntry,
  readLabels,
  readLatest,
  readLatestEntry,
  readLatestEntryBy,
  readLead,
  readLeadOfSubmission,
  readLeadPage,
  readMergedLeads,
  readPhones,
  readSubmissionsOf,
  readUndoable,
  recentOrigins,
  recordCallAttempt,
  removeLabel,
  renameTag,
  requestFreshLink,
  resumeLead,
  searchLeads,
  skipStep,
  takeBack,
  undoAction,
  unmergeLead,
  withdrawConsent,
}
