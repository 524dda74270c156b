/** A service as it stands in public, for documents that are built without one. */
import { defaultSettings } from '../../../src/config/all-settings.ts'
import { urlsOf } from '../../../src/http/urls.ts'

export const publicConfig = {
  baseUrl: 'https://www.example.edu',
  learnUrl: 'https://learn.example.edu',
  settings: defaultSettings,
}

export const urls = urlsOf(publicConfig)
