/** Slack: an incoming webhook, and blocks. */
import { type ChatMessage, chatEvents, chatFields, chatRequest, chosenInChat, quietInChat } from './chat-message.ts'
import type { DestinationKind } from './destination-kind.ts'

const GONE =
  'the app, the channel or the webhook is gone, so the destination is switched off. Make a new webhook, enter its URL, and switch it on'

export const slack: DestinationKind = {
  name: 'Slack',
  about: 'New leads, leads that wait too long, and the figures of each week, in a channel.',
  guide: 'docs/slack.md',
  events: chatEvents,
  quiet: quietInChat,
  fields: chatFields,
  chosen: chosenInChat,
  inputs: [
    {
      name: 'url',
      label: 'Webhook URL',
      hint: 'Slack shows it as https://hooks.slack.com/services/… It is stored encrypted, and not shown again.',
      secret: true,
    },
  ],
  problems: ({ url = '' }) => ({
    url: /^https:\/\/hooks\.slack\.com\/(?!services\/)/.test(url)
      ? 'This is not an incoming webhook: its URL begins with https://hooks.slack.com/services/.'
      : undefined,
  }),
  test: 'an invented lead',
  tell: async (told, send) => send(chatRequest(told, blocksOf)),
  verdict: ({ status }) => {
    if (status >= 200 && status < 300) return 'delivered'
    // The channel, the app or the workspace no longer accepts messages.
    if ([403, 404].includes(status)) return 'gone'
    return status === 400 ? 'stop' : 'failed'
  },
  responses: {
    400: 'Slack does not accept this message, so it is not sent again. Please report it',
    403: GONE,
    404: GONE,
    410: GONE,
    429: 'too much at once: Slack accepts about one message a second for each channel. There is nothing to do: we wait as long as it asks',
  },
}

/** Slack recognizes mentions and links in `mrkdwn`, which the `text` of notifications is, but not in `plain_text`. */
const blocksOf = ({ title, facts, link }: ChatMessage) => ({
  text: title,
  blocks: [
    { type: 'header', text: plain(title) },
    ...(facts.length === 0
      ? []
      : [{ type: 'section', fields: facts.map(({ name, value }) => plain(`${name}: ${value}`)) }]),
    ...(link === undefined
      ? []
      : [{ type: 'actions', elements: [{ type: 'button', text: plain(link.words), url: link.url }] }]),
  ],
})

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
