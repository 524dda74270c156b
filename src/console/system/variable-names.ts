import type { variables } from '../../config/environment.ts'

/** The words for each environment variable. */
export const variableNames: Record<keyof typeof variables, string> = {
  BASE_URL: 'URL of the site host',
  LEARN_URL: 'URL of the learn host',
  CONSOLE_URL: 'URL of the console',
  HOST: 'Address that Frontdesk listens on',
  SITE_PORT: 'Port of the site host',
  LEARN_PORT: 'Port of the learn host',
  CONSOLE_PORT: 'Port of the console',
  TRUSTED_PROXIES: 'Your reverse proxies',
  UNLIMITED_NETWORKS: 'Networks without rate limits',
  DATA_DIR: 'Folder of the data',
  DATABASE_URL: 'Database',
  SMTP_URL: 'Mail server that sends',
  IMAP_URL: 'Watched mailbox',
  ACCOUNTS_TOKEN: 'Token for the learning site',
  MAIL_FROM: 'Sender of every message',
  PARTNERSHIPS_EMAIL: 'Team for employers and partners',
  ADMISSIONS_EMAIL: 'Team for students',
  SECRET_KEY: 'Secret that signs links',
  NODE_EXTRA_CA_CERTS: 'Further certificate authorities',
  FRONTDESK_CONFIG: 'Settings file',
  LOG_LEVEL: 'Level of the log',
}
