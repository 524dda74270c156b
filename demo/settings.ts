/** The settings of the invented school. */
import type { PartialSettings } from '../src/config/settings.ts'

export const demoSettings = {
  school: {
    name: 'Capital School of Surgical Technology',
    phone: '(512) 555-0100',
    postalAddress: 'Capital School, 100 Main Street, Austin, TX 78701',
    timeZone: 'America/Chicago',
  },
  admissions: {
    counselors: [
      { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' },
      { id: 'tom', name: 'Tom Becker', email: 'tom@school.example' },
      { id: 'priya', name: 'Priya Nair', email: 'priya@school.example' },
    ],
    manager: { name: 'Dana Kim', email: 'dana@school.example' },
  },
  // Someone there may be called at the hours at which everyone at home sleeps.
  followUp: { zones: { AE: ['Europe/Berlin'], AP: ['Asia/Tokyo'] } },
  studentInterest: {
    states: { 'Armed Forces Europe': 'AE', 'Armed Forces Pacific': 'AP' },
    answers: {
      interestLevel: {
        hotter: 'low',
        allowed: ['1 - Ready to enroll', '2 - Comparing schools', '3 - Just looking'],
        labels: { es: ['Quiero inscribirme', 'Estoy comparando escuelas', 'Solo estoy mirando'] },
      },
      timeline: {
        hotter: 'low',
        allowed: ['1 - Right away', '2 - Within three months', '3 - Within six months', '4 - Later'],
        labels: { es: ['De inmediato', 'En los próximos tres meses', 'En los próximos seis meses', 'Más adelante'] },
      },
      source: {
        allowed: ['1 - Search engine', '2 - Social media', '3 - A friend or relative', '4 - My employer'],
        labels: { es: ['Un buscador', 'Redes sociales', 'Un amigo o familiar', 'La empresa donde trabajo'] },
      },
    },
  },
} satisfies PartialSettings
