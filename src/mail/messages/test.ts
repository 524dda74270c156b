/** Shows the person who asked for it that mail arrives. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { StaffMessage } from '../message-definition.ts'
import { team } from '../samples.ts'

export const test: StaffMessage = {
  template: 'notifications/test.md',
  variables: (_, { settings }) => ({ school: schoolVariables(settings.school) }),
  samples: () => [{ to: team }],
}
