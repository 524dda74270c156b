/** The table of the console's routes. The file of each page says what the page is for. */
import { readFileSync } from 'node:fs'
import { ourPath } from '../platform/places.ts'
import { accountRoutes } from './account/account-page.ts'
import { notificationRoutes } from './account/notifications.ts'
import { ownAbsenceRoutes } from './account/own-absences.ts'
import { passkeyRoutes } from './account/passkey-pages.ts'
import { secondFactorRoutes } from './account/second-factor-pages.ts'
import { cadenceRoutes } from './cadence/cadence-page.ts'
import { destinationRoutes } from './destinations/destinations-page.ts'
import { exportRoutes } from './export/export-page.ts'
import { formEditorRoutes } from './forms/form-editor.ts'
import { formEmbedRoutes } from './forms/form-embed.ts'
import { formListRoutes } from './forms/forms-page.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './frame/context.ts'
import { liveRoutes } from './frame/live.ts'
import { get } from './frame/routes.ts'
import { importRoutes } from './imports/import-pages.ts'
import { costRoutes } from './insight/costs-page.ts'
import { insightRoutes } from './insight/insight-page.ts'
import { reportRoutes } from './insight/report-page.ts'
import { attachmentRoutes } from './lead/attachments.ts'
import { correctRoutes } from './lead/correct-page.ts'
import { draftRoutes } from './lead/drafts.ts'
import { leadRoutes } from './lead/lead-page.ts'
import { mergeRoutes } from './lead/merge-routes.ts'
import { conversationRoutes } from './lead/write-page.ts'
import { addLeadRoutes } from './lists/add-lead.ts'
import { boardRoutes } from './lists/board-page.ts'
import { inboxRoutes } from './lists/inbox-page.ts'
import { tagRoutes } from './lists/tags.ts'
import { todayRoutes } from './lists/today.ts'
import { deliveryRoutes } from './mail/delivery-page.ts'
import { quarantineRoutes } from './mail/quarantine-page.ts'
import { privacyRoutes } from './privacy/privacy-page.ts'
import { answerRoutes } from './school/answers-page.ts'
import { brandRoutes } from './school/brand-page.ts'
import { consentRoutes } from './school/consent-page.ts'
import { emailEditorRoutes } from './school/email-editor.ts'
import { emailRoutes } from './school/emails-page.ts'
import { hoursRoutes } from './school/hours-page.ts'
import { programRoutes } from './school/programs-page.ts'
import { forgottenRoutes } from './sign-in/forgotten-password.ts'
import { signInRoutes } from './sign-in/sign-in.ts'
import { welcomeRoutes } from './sign-in/welcome.ts'
import { sourceRoutes } from './sources/sources-page.ts'
import { auditRoutes } from './system/audit-page.ts'
import { operatorRoutes } from './system/operators-page.ts'
import { settingsRoutes } from './system/settings-page.ts'
import { tokenRoutes } from './system/tokens-page.ts'
import { teamRoutes } from './team/team-page.ts'

export const consoleRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  ...signInRoutes,
  ...welcomeRoutes,
  ...forgottenRoutes,
  ...inboxRoutes,
  ...liveRoutes(deps),
  ...todayRoutes,
  ...boardRoutes,
  ...tagRoutes,
  ...exportRoutes(deps),
  ...importRoutes,
  ...leadRoutes,
  ...attachmentRoutes,
  ...addLeadRoutes,
  ...conversationRoutes,
  ...draftRoutes,
  ...correctRoutes,
  ...mergeRoutes,
  ...quarantineRoutes,
  ...insightRoutes,
  ...costRoutes,
  ...reportRoutes,
  ...cadenceRoutes,
  ...hoursRoutes,
  ...emailRoutes,
  ...emailEditorRoutes,
  ...programRoutes,
  ...answerRoutes,
  ...formListRoutes,
  ...formEditorRoutes,
  ...formEmbedRoutes,
  ...brandRoutes,
  ...consentRoutes,
  ...deliveryRoutes,
  ...destinationRoutes,
  ...sourceRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...privacyRoutes,
  ...settingsRoutes,
  ...operatorRoutes,
  ...auditRoutes,
  ...accountRoutes,
  ...notificationRoutes,
  ...ownAbsenceRoutes,
  ...installableRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
]

/**
 * The routes that let a browser install the console as an app, and get notifications while no page is open. They need
 * no session, because browsers request them without one, too.
 */
const installableRoutes: ConsoleRoute[] = [
  get('/service-worker.js', 'anyone', serviceWorkerFile),
  get('/manifest.webmanifest', 'anyone', manifestFile),
]

function serviceWorkerFile(c: ConsoleContext) {
  c.header('Content-Type', 'text/javascript; charset=utf-8')
  c.header('Cache-Control', 'no-cache')
  return c.body(serviceWorker)
}

function manifestFile(c: ConsoleContext) {
  const { deps, assets } = c.get('frame')
  c.header('Content-Type', 'application/manifest+json')
  return c.body(
    JSON.stringify({
      name: `${deps.settings.school.name} front desk`,
      short_name: 'Front desk',
      start_url: '/',
      display: 'standalone',
      icons: [{ src: assets['icon.svg'], sizes: 'any', type: 'image/svg+xml' }],
    }),
  )
}

const serviceWorker = readFileSync(ourPath('content/console/service-worker.js'), 'utf8')
