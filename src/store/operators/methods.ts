/** The store methods about operators: signing in, how they are notified, and what they did. */
export { expireAlarms, listAlarms, raiseAlarm, readAlarm, settleAlarm } from './alarms.ts'
export { addApiToken, countTokensOf, listApiTokens, readApiToken } from './api-tokens.ts'
export { expireAudit, listAudit, readAudit, recordAudit } from './audit-log.ts'
export {
  addNotice,
  addPushSubscription,
  continueDaily,
  endDailyNotices,
  listNotices,
  listPushSubscriptions,
  listRecipients,
  readNoticeChoices,
  removePushSubscription,
  saveNoticeChoices,
  takeDailyNotices,
} from './browser-notices.ts'
export {
  addFirstLink,
  expireLinks,
  inviteAgain,
  inviteOperator,
  readOperatorLink,
  redeemOperatorLink,
  requestReset,
  resetOperator,
} from './links.ts'
export {
  addOperator,
  chooseList,
  disableOperator,
  enableOperator,
  findOperator,
  listOperators,
  readOperator,
  setPassword,
  setRole,
  setShortcuts,
  setSignature,
} from './operators.ts'
export {
  addPasskey,
  listPasskeys,
  readPasskey,
  recordCopiedPasskey,
  recordPasskeyUse,
  removePasskey,
} from './passkeys.ts'
export {
  askForFactor,
  countRecoveryCodes,
  listTotpSecrets,
  removeSecondFactor,
  setSecondFactor,
  useRecoveryCode,
  useTotpStep,
} from './second-factor.ts'
export { addSession, endOtherSessions, endSession, listSessions, readSession } from './sessions.ts'
