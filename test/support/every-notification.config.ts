/** Settings for tests that count a notification for each submission, however many they send at once. */
import type { PartialSettings } from '../../src/config/settings.ts'

export default { mail: { notificationsAtOnce: 1_000_000 } } satisfies PartialSettings
