/** Templates of messages: each becomes a subject, a plain-text part and an HTML part. */
import { plainText } from '../content/plain-text.ts'
import { templateLoader } from '../content/templates.ts'

export type Rendered = { subject: string; text: string; html: string }

/** Renders one message. The values of its variables show as text, never as markup. */
export type Template = (variables: object) => Rendered

/** Like `templateLoader`, in the layout of messages. */
export function messageTemplateLoader(contentDirs: string[]) {
  const load = templateLoader(contentDirs, 'layouts/mail.html', ['subject', 'preheader'])
  return (name: string, samples: object[]): Template => {
    const render = load(name, samples)
    return variables => {
      const { head, body, html } = render(variables)
      return { subject: head.subject, text: plainText(body), html }
    }
  }
}
