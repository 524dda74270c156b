/** A service as it stands in public, for documents that are built without one. */
import { defaultSettings } from '../../../src/config/defaults.ts'
import { placesOf } from '../../../src/http/places.ts'

export const publicConfig = {
  baseUrl: 'https://www.example.edu',
  learnUrl: 'https://learn.example.edu',
  settings: defaultSettings,
}

export const places = placesOf(publicConfig)
