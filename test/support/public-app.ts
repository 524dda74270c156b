/** The service with working URLs: its documents name the ports that it really listens on. */
import type { TestContext } from 'node:test'
import { startApp, type TestApp, type TestOptions } from './app.ts'
import { freePorts } from './ports.ts'

export type PublicApp = TestApp & { base: string; learn: string }

export async function startPublicApp(t: TestContext, options: TestOptions = {}): Promise<PublicApp> {
  const [site, learn] = await freePorts(2)
  const [base, learnUrl] = [`http://127.0.0.1:${site}`, `http://127.0.0.1:${learn}`]
  const app = await startApp(t, {
    ...options,
    env: { BASE_URL: base, LEARN_URL: learnUrl, SITE_PORT: String(site), LEARN_PORT: String(learn), ...options.env },
  })
  return { ...app, base, learn: learnUrl }
}
