/** The settings of the school itself: its name and look, and when it is open. */
import { Group, noDefault, setting } from './setting.ts'
import { holiday, logoLike, openingHours } from './setting-shapes.ts'
import { under } from './setting-topics.ts'
import { hexColor, lines, listOf, text } from './shape.ts'

const school = under('school')
const calls = under('calls')

const workday = (name: string) => setting(openingHours, '09:00-17:00', name)
const dayOff = (name: string) => setting(openingHours, 'closed', name)

export const schoolSettings = {
  name: setting(
    text(120),
    'Example Vocational School',
    school('Name', 'Every page and email shows it, and it is part of the sender of emails.'),
  ),
  phone: noDefault(
    text(40, { like: /(?:\d\D*){3}/, wanted: 'a phone number' }),
    school('Phone', 'Emails to students and the public pages show it.'),
  ),
  website: noDefault(
    text(200, {
      like: /^(https?:\/\/)?[\w-]+(\.[\w-]+)+(:\d+)?(\/[^\s()<>]*)?$/i,
      wanted: 'a URL such as https://www.example.edu',
    }),
    school('Website', 'Emails and the public pages link to it.'),
  ),
  postalAddress: noDefault(
    lines(300),
    school('Postal address', 'By law, every follow-up email must show it. Without it, students get none.'),
  ),
  brand: {
    color: setting(hexColor, '#0a6070', school('Color', 'The color of buttons and links, on pages and in emails.')),
    logo: noDefault(text(500, logoLike), school('Logo', 'Pages and emails show it in place of the name.')),
    logoDark: noDefault(
      text(500, logoLike),
      school('Logo on dark screens', 'The same for screens with a dark background.'),
    ),
  },
  timeZone: setting(
    text(60),
    'America/New_York',
    calls('Time zone of the school', 'School hours and the times in the console are in this zone.'),
  ),
  country: setting(
    text(2, { like: /^[A-Z]{2}$/, wanted: 'a country code such as US' }),
    'US',
    school('Country', 'The country of phone numbers without a country code. It also decides how dates look.'),
  ),
  hours: new Group(
    calls('School hours', 'When someone is there to call. Reminders to the staff count only these hours.'),
    {
      monday: workday('Monday'),
      tuesday: workday('Tuesday'),
      wednesday: workday('Wednesday'),
      thursday: workday('Thursday'),
      friday: workday('Friday'),
      saturday: dayOff('Saturday'),
      sunday: dayOff('Sunday'),
    },
  ),
  holidays: setting(
    listOf(holiday, { least: 0 }),
    [],
    calls('Holidays', 'Days on which the school is closed: reminders wait until the next day.'),
  ),
}
