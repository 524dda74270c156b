/** An email from someone at the school to the person, in the thread of the person's last email. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { PersonMessage, PersonView } from '../message-definition.ts'
import { counselor, message, personView } from '../samples.ts'
import type { MessageAttachment } from '../transport/message.ts'

export const personal: PersonMessage<
  PersonView & {
    /** The name of the person who wrote it. */
    author: string
    subject: string
    text: string
    /** The Message-ID that it replies to. */
    answers: string | undefined
    attachments: readonly MessageAttachment[]
  }
> = {
  template: 'letters/personal.md',
  variables: ({ author, subject, text }, { settings }) => ({
    school: schoolVariables(settings.school),
    author,
    subject,
    text,
  }),
  samples: () => [
    {
      ...personView,
      author: counselor.name,
      subject: 'Re: Your inquiry',
      text: message,
      answers: undefined,
      attachments: [],
    },
  ],
  more: ({ author, answers, attachments }) => ({
    signedBy: author,
    personal: true,
    ...(answers !== undefined && { answers }),
    ...(attachments.length > 0 && { attachments }),
  }),
}
