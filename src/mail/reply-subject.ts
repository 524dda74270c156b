/** The subjects of replies: they begin with `Re:`, or with what programs in other languages write instead. */

const PREFIX = /^\s*(?:(?:re|aw|sv|vs|rv|antw|odp)\s*(?:\[\d+\])?\s*[:：]\s*)+/i

export const isReplySubject = (subject: string): boolean => PREFIX.test(subject)

/** The subject of the reply to a message with this subject: with one `Re:`, however many that has. */
export const replySubject = (subject: string): string => `Re: ${subject.replace(PREFIX, '')}`
