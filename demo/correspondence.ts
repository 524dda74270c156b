/** What the counselors of the demo write, and what people write back. */

export const notes = [
  'Works nights, best to reach after 3 pm. Wants the March class.',
  'Has a GED, needs to send the transcript. Asked about payment plans.',
  'Very motivated. Sister is a graduate. Sent the application link.',
  'Comparing with the community college; cost is what decides.',
  'Wants a tour first. Booked for Thursday.',
  'Husband is in the Army, may move in the summer. Call again in a week.',
]

/** `answer` is undefined where the person does not write back. */
export const correspondence = [
  {
    subject: 'Your visit to our school',
    text: 'It was good to talk to you. Would Thursday at 4 pm or Saturday at 10 am suit you for a visit? You will see the mock operating room and can meet an instructor.',
    answer: 'Saturday at 10 works great. Can I bring my mom? She has a lot of questions about cost.',
  },
  {
    subject: 'What you need to apply',
    text: 'As promised, here is what we need: a copy of your diploma or GED, a photo ID, and your immunization record. You can send photos of them in reply to this email.',
    answer:
      'Thank you! I have the diploma and the ID. I am asking my doctor for the shot record, should have it by Monday.',
  },
  {
    subject: 'Tuition and payment plans',
    text: 'You asked what it comes to per month. With the payment plan, you pay a deposit when the class starts and the rest in twelve equal parts. I am happy to go through it with you by phone.',
    answer: 'That helps a lot. If I start in March, when is the deposit due?',
  },
  {
    subject: 'The evening class',
    text: 'The next evening class meets Monday to Thursday from 6 to 9 pm. There are a few seats left. Shall I hold one for you for a week?',
    answer: undefined,
  },
] as const satisfies { subject: string; text: string; answer: string | undefined }[]

/** What people have written back that no one has answered yet. */
export const waitingReplies = [
  'Thursday at 4 pm works for me. Where do I park, and should I bring anything?',
  'Sorry for the late answer, my phone was broken! Is there still a seat in the evening class?',
]
