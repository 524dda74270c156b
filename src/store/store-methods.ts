/** Every query that the rest of the program may ask of the store, in one table. */
import { addAbsence, listAbsences, removeAbsence } from './absences.ts'
import { hasAccount, importAccounts } from './accounts.ts'
import { expireAudit, hasActed, listAudit, recordAudit } from './audit-log.ts'
import { countBacklog } from './backlog.ts'
import { readBoard, readBoardCards } from './board.ts'
import { readCadenceResults } from './cadence-results.ts'
import { getOrCreateCadence, listFollowedCadences } from './cadence-versions.ts'
import { beginStep, closeUnanswered, concludeStep } from './claimed-steps.ts'
import { forgetClientAddresses } from './client-addresses.ts'
import { keepIntervals } from './clock-set-back.ts'
import { withdrawConsent } from './consent.ts'
import { correctLead, listEmailsToPerson } from './corrections.ts'
import { countLeads } from './count-leads.ts'
import { readDelivery } from './delivery-health.ts'
import { listDelivery, withLeads } from './delivery-list.ts'
import { hurryNotifications, readWaitingDigests, rescheduleDigest } from './delivery-order.ts'
import { listDueLeads } from './due-leads.ts'
import { currentEditedSettings, listEditedSettings, saveEditedSettings } from './edited-settings.ts'
import { erasePerson } from './erasure.ts'
import { listErasures } from './erasure-register.ts'
import {
  confirmErasure,
  declineErasure,
  expireErasureRequests,
  listConfirmers,
  listErasureRequests,
  readErasureRequest,
  requestErasure,
} from './erasure-requests.ts'
import { fileSubmissions, readUnfiled } from './filing.ts'
import {
  findEarlierLeads,
  findLeadsAt,
  findLeadsByEmail,
  findLeadsByPhone,
  searchLeads,
} from './find-leads.ts'
import { readGathered, recordGathered } from './gathered-notifications.ts'
import {
  finishHandOver,
  giveBackPortion,
  handOverPortion,
  readHandOverPortion,
} from './hand-over-portions.ts'
import {
  countHandedOver,
  listHandedOver,
  listHandOvers,
  readHandOver,
  startHandOver,
  undoHandOver,
} from './hand-overs.ts'
import { assignLead } from './handing-over.ts'
import { importMethods } from './import-methods.ts'
import { countInbox, listInbox } from './inbox.ts'
import { readInboxRows } from './inbox-rows.ts'
import { readInsight } from './insight.ts'
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
import { endHold, holdLead, readHold } from './lead-holds.ts'
import { readLatest, readLeadOfSubmission } from './lead-of-submission.ts'
import { recentOrigins } from './lead-origins.ts'
import { readChangesSince, readLatestEntryBy, readLeadPage } from './lead-page.ts'
import { readPhones } from './lead-phones.ts'
import { addMissingWords, recheckWords } from './lead-words.ts'
import { findExactLead, findLead, readSubmissionsOf } from './leads.ts'
import { listLeads } from './list-leads.ts'
import { countStages, readLoads } from './loads.ts'
import { readMailboxPosition, recordInbound, setMailboxPosition } from './mailboxes.ts'
import { mergeCandidates } from './merge-candidates.ts'
import { addressesOfPerson, readMergedLeads } from './merged-leads.ts'
import { mergeLeads } from './merging.ts'
import { countTextAddresses } from './message-texts.ts'
import {
  acknowledgeUnsent,
  cancelMessage,
  listUnsentMessages,
  readConversation,
  readMessage,
  recordMessageSent,
  recordMessageUnsent,
  writeMessage,
} from './messages.ts'
import {
  addNotice,
  addPushSubscription,
  endDailyNotices,
  listDailyNotices,
  listNotices,
  listPushSubscriptions,
  listRecipients,
  readNoticeChoices,
  removePushSubscription,
  saveNoticeChoices,
} from './notices.ts'
import {
  addFirstLink,
  inviteAgain,
  inviteOperator,
  readOperatorLink,
  redeemOperatorLink,
  requestReset,
} from './operator-links.ts'
import {
  addOperator,
  disableOperator,
  enableOperator,
  findOperator,
  listOperators,
  readOperator,
  resetOperator,
  setPassword,
  setRole,
  setShortcuts,
} from './operators.ts'
import { acknowledgeMail, addDigest, addReport, listMail, readMail, retryMail } from './outbox.ts'
import { listOwners } from './owners.ts'
import {
  addPasskey,
  listPasskeys,
  readPasskey,
  recordPasskeyUse,
  removePasskey,
} from './passkeys.ts'
import { pauseLead, resumeLead } from './pauses.ts'
import {
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonStrays,
  readPersonSubmissions,
} from './person-data.ts'
import { recordUndelivered } from './person-events.ts'
import {
  dismissQuarantined,
  expireQuarantine,
  listQuarantine,
  readQuarantined,
  releaseQuarantined,
  undoDismissal,
  undoRelease,
} from './quarantine.ts'
import { readForDigest } from './quarantine-choice.ts'
import { readCorrections } from './read-corrections.ts'
import { listRecentActions } from './recent-actions.ts'
import { recordSent } from './record-sent.ts'
import { readResponses } from './responses.ts'
import {
  addRetentionNotice,
  countPlanned,
  dropPlans,
  erasePlanned,
  listPlanned,
  planErasures,
  readNoticeSent,
  readPlanned,
} from './retention.ts'
import { deleteView, listViews, renameView, saveView } from './saved-views.ts'
import {
  countRecoveryCodes,
  listTotpSecrets,
  removeSecondFactor,
  replaceTotpSecret,
  setSecondFactor,
  useRecoveryCode,
  useTotpStep,
} from './second-factor.ts'
import { getOrCreateLinkSecret, getOrCreateSecret } from './secrets.ts'
import { findMessage } from './sent-messages.ts'
import { addSession, endOtherSessions, endSession, listSessions, readSession } from './sessions.ts'
import { addNote, changeStage, recordCallAttempt, requestFreshLink } from './staff-actions.ts'
import { openStep, readFollowUp } from './steps.ts'
import { readEmailOf, readStoredPerson } from './stored-person.ts'
import { readStrays } from './stray-mail.ts'
import {
  readSuppression,
  stopFollowUpEmails,
  suppress,
  unsuppress,
  unsuppressBounced,
} from './suppressions.ts'
import { skipStep, takeBack } from './taking-back.ts'
import {
  claimTasks,
  finishTask,
  finishTasks,
  listDueLanes,
  postponeTask,
  refile,
  releaseTasks,
  renewTasks,
} from './tasks.ts'
import { countEmails, readEntry, readLatestEntry } from './timeline.ts'
import { addUnattendedMail, readUnattended } from './unattended.ts'
import { readUndoable, undoAction } from './undoing.ts'
import { unmergeLead } from './unmerging.ts'
import { countCreated, countOutcomes, countToDo, listReported } from './weekly-report.ts'

export const storeMethods = {
  ...importMethods,
  acknowledgeMail,
  acknowledgeUnsent,
  addAbsence,
  addressesOfPerson,
  addDigest,
  addFirstLink,
  addLabel,
  addMissingWords,
  addNote,
  addNotice,
  addOperator,
  addPasskey,
  addPushSubscription,
  addReport,
  addRetentionNotice,
  addSession,
  addUnattendedMail,
  assignLead,
  beginStep,
  cancelMessage,
  changeStage,
  claimTasks,
  closeUnanswered,
  concludeStep,
  confirmErasure,
  correctLead,
  countBacklog,
  countCreated,
  countEmails,
  countHandedOver,
  countInbox,
  countLabeled,
  countPlanned,
  countLeads,
  countOutcomes,
  countRecoveryCodes,
  countStages,
  countTextAddresses,
  countToDo,
  currentEditedSettings,
  declineErasure,
  deleteTag,
  deleteView,
  disableOperator,
  dismissQuarantined,
  dropPlans,
  enableOperator,
  endDailyNotices,
  endHold,
  endOtherSessions,
  endSession,
  erasePerson,
  erasePlanned,
  expireAudit,
  expireErasureRequests,
  expireQuarantine,
  fileSubmissions,
  findEarlierLeads,
  findExactLead,
  findLabel,
  findLead,
  findLeadsAt,
  findLeadsByEmail,
  findLeadsByPhone,
  findMessage,
  findOperator,
  finishHandOver,
  finishTask,
  finishTasks,
  forgetClientAddresses,
  getOrCreateCadence,
  getOrCreateLinkSecret,
  getOrCreateSecret,
  giveBackPortion,
  handOverPortion,
  hasAccount,
  hasActed,
  holdLead,
  hurryNotifications,
  importAccounts,
  inviteAgain,
  inviteOperator,
  keepIntervals,
  listAbsences,
  listAudit,
  listConfirmers,
  listDailyNotices,
  listDelivery,
  listDueLanes,
  listDueLeads,
  listEditedSettings,
  listFollowedCadences,
  listEmailsToPerson,
  listErasureRequests,
  listErasures,
  listHandOvers,
  listHandedOver,
  listInbox,
  listLabels,
  listLeads,
  listMail,
  listNotices,
  listOperators,
  listOwners,
  listPasskeys,
  listPushSubscriptions,
  listRecipients,
  listPlanned,
  listQuarantine,
  listRecentActions,
  listReported,
  listSessions,
  listTotpSecrets,
  listUnsentMessages,
  listViews,
  mergeCandidates,
  mergeLeads,
  openStep,
  pauseLead,
  planErasures,
  postponeTask,
  readBoard,
  readBoardCards,
  readCadenceResults,
  readChangesSince,
  readConversation,
  readCorrections,
  readEmailOf,
  readDelivery,
  readEntry,
  readErasureRequest,
  readFollowUp,
  readForDigest,
  readGathered,
  readHandOver,
  readHandOverPortion,
  readHold,
  readInboxRows,
  readInsight,
  readLabels,
  readLatest,
  readLatestEntry,
  readLatestEntryBy,
  readLead,
  readLeadOfSubmission,
  readLeadPage,
  readLoads,
  readMail,
  readMailboxPosition,
  readMergedLeads,
  readMessage,
  readNoticeChoices,
  readNoticeSent,
  readOperator,
  readOperatorLink,
  readPasskey,
  readPersonEntries,
  readPersonIds,
  readPersonMails,
  readPersonStrays,
  readPersonSubmissions,
  readPhones,
  readPlanned,
  readQuarantined,
  readResponses,
  readSession,
  readStoredPerson,
  readStrays,
  readSubmissionsOf,
  readSuppression,
  readUnattended,
  readUndoable,
  readUnfiled,
  readWaitingDigests,
  recentOrigins,
  recheckWords,
  recordAudit,
  recordCallAttempt,
  recordGathered,
  recordInbound,
  recordMessageSent,
  recordMessageUnsent,
  recordPasskeyUse,
  recordSent,
  recordUndelivered,
  redeemOperatorLink,
  refile,
  releaseQuarantined,
  releaseTasks,
  removeAbsence,
  removeLabel,
  removePasskey,
  removePushSubscription,
  removeSecondFactor,
  renameTag,
  renameView,
  renewTasks,
  replaceTotpSecret,
  requestErasure,
  requestFreshLink,
  requestReset,
  rescheduleDigest,
  resetOperator,
  resumeLead,
  retryMail,
  saveEditedSettings,
  saveNoticeChoices,
  saveView,
  searchLeads,
  setMailboxPosition,
  setPassword,
  setRole,
  setSecondFactor,
  setShortcuts,
  skipStep,
  startHandOver,
  stopFollowUpEmails,
  suppress,
  takeBack,
  undoAction,
  undoDismissal,
  undoHandOver,
  undoRelease,
  unmergeLead,
  unsuppress,
  unsuppressBounced,
  useRecoveryCode,
  useTotpStep,
  withLeads,
  withdrawConsent,
  writeMessage,
}

type WithoutDatabase<F> = F extends (db: never, ...args: infer A) => infer R
  ? (...args: A) => R
  : never

/** The store methods without their first argument, the database. */
export type StoreMethods = {
  [Name in keyof typeof storeMethods]: WithoutDatabase<(typeof storeMethods)[Name]>
}
