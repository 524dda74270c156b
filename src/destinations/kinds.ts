/** The kinds of destinations: a file and a row for each. Nothing else may say what one of them does. */
import type { Destination } from '../store/destinations/destinations.ts'
import type { DestinationKind } from './destination-kind.ts'
import { webhook } from './webhook.ts'

export const kinds: Record<Destination['kind'], DestinationKind> = { webhook }
