/** The subjects of replies: they begin with `Re:`, or with what programs write in other languages. */

const PREFIX = /^\s*(?:(?:re|aw|sv|vs|rv|antw|odp)\s*(?:\[\d+\])?\s*[:：]\s*)+/i

export const isReplySubject = (subject: string): boolean => PREFIX.test(subject)

/** The subject of the reply to a message with this subject: with exactly one `Re:`, however many it already has. */
export const replySubject = (subject: string): string => `Re: ${subject.replace(PREFIX, '')}`
