/** Suggested answers, which many schools offer: one per line, and which of them the warmest lead gives. */
import type { RankedField } from '../../leads/body/body-schemas.ts'

export const suggestedAnswers: Record<RankedField, { answers: { en: string; es: string }; warm?: 'first' | 'last' }> = {
  timeline: {
    answers: {
      en: 'Right away\nWithin three months\nLater this year\nI do not know yet',
      es: 'Lo antes posible\nEn los próximos tres meses\nMás adelante este año\nTodavía no sé',
    },
    warm: 'first',
  },
  interestLevel: {
    answers: {
      en: 'I am ready to enroll\nI am comparing schools\nI am just looking',
      es: 'Quiero inscribirme\nEstoy comparando escuelas\nSolo estoy mirando',
    },
    warm: 'first',
  },
  experience: { answers: { en: 'None\nSome\nI work in this field', es: 'Ninguna\nAlgo\nTrabajo en este campo' } },
  source: {
    answers: {
      en: 'A search engine\nSocial media\nA friend or relative\nA student or graduate\nMy employer\nAn event',
      es: 'Un buscador\nRedes sociales\nUn amigo o familiar\nUn estudiante o egresado\nMi empleador\nUn evento',
    },
  },
}
