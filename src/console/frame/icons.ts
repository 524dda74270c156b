/** The icons of the navigation, by path: 20 by 20, drawn in lines of the text's color. */
import { raw } from 'hono/html'

const lines: Record<string, string> = {
  '/inbox': 'M3 11h4l1.5 2.5h3L13 11h4M3 11l2.2-6h9.6L17 11v4.5H3z',
  '/today': 'M4 5.5h12v11H4zM4 8.5h12M7.5 3.5v3M12.5 3.5v3M7.5 12.5l2 1.8 3.2-3.6',
  '/board': 'M3 4h4v12H3zM8 4h4v8H8zM13 4h4v10h-4z',
  '/insight': 'M3.5 16.5h13M5.5 14v-4M10 14V5M14.5 14V8',
  '/import': 'M10 12.5v-9M6.5 6.8L10 3.4l3.5 3.4M4 15v2h12v-2',
  '/team':
    'M6 8.5a2.3 2.3 0 100-4.6 2.3 2.3 0 000 4.6zM14 8.5a2.3 2.3 0 100-4.6 2.3 2.3 0 000 4.6zM2 15c.3-2.6 1.8-4 4-4s3.7 1.4 4 4M10 15c.3-2.6 1.8-4 4-4s3.7 1.4 4 4',
  '/cadence': 'M3 10h14M5 7.8v4.4M9.5 7.8v4.4M15 7.8v4.4',
  '/emails': 'M4 15.5l1-3.5 8-8 2.5 2.5-8 8zM11.5 5.5L14 8M4 17.5h12',
  '/hours': 'M10 17a7 7 0 100-14 7 7 0 000 14zM10 6.2V10l2.6 1.8',
  '/programs': 'M2.5 7.5L10 4l7.5 3.5L10 11zM5.5 9.2v4.3c2.6 2 6.4 2 9 0V9.2M17.5 7.5v5',
  '/forms': 'M4.5 2.5h11v15h-11zM7.5 6.5h5M7.5 10h5M7.5 13.5h2.5',
  '/answers': 'M8 5.5h8.5M8 10h8.5M8 14.5h8.5M4.2 5.5h.2M4.2 10h.2M4.2 14.5h.2',
  '/brand':
    'M10 3a7 7 0 100 14c1.5 0 1.8-1 1.2-2-.7-1.2-.1-2.3 1.3-2.3h1.7c1.6 0 2.8-1.2 2.8-3C17 5.7 14 3 10 3zM6.5 10v.2M8 6.8v.2M12 6.5v.2',
  '/consent': 'M4 4h12v12H4zM7 10.2l2.2 2.2L13.2 8',
  '/privacy': 'M5 9h10v7.5H5zM7.2 9V6.4a2.8 2.8 0 015.6 0V9M10 12v2',
  '/quarantine': 'M10 2.8l6 2.2v4.6c0 3.6-2.4 6-6 7.6-3.6-1.6-6-4-6-7.6V5zM10 7v3.6M10 13v.2',
  '/report': 'M5 3h10v14H5zM8 13.5v-2.5M10.5 13.5V8M13 13.5v-4',
  '/delivery': 'M3 5h14v10H3zM3.4 5.5L10 11l6.6-5.5',
  '/destinations': 'M3 10h10M9.5 6.2L13.3 10l-3.8 3.8M16.5 4v12',
  '/sources': 'M17 10H7M10.5 6.2L6.7 10l3.8 3.8M3.5 4v12',
  '/tokens': 'M7 13.6a3.3 3.3 0 100-6.6 3.3 3.3 0 000 6.6zM10.2 10.3h6.8v2.9M13.8 10.3v2.2',
  '/settings': 'M4 6h7M15 6h1M4 14h1M9 14h7M11 4.2h3.6v3.6H11zM5.4 12.2H9v3.6H5.4z',
  '/operators':
    'M7.5 9.5a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.6zM2.5 16.2c.4-3 2.4-4.6 5-4.6s4.6 1.6 5 4.6M13 4.2a2.7 2.7 0 010 5.2M14.6 12c1.7.6 2.7 2 3 4.2',
  '/audit': 'M5 3h7l3.5 3.5V17H5zM8 9h4.5M8 12h4.5M8 6h2',
  '/account': 'M10 10a3.2 3.2 0 100-6.4 3.2 3.2 0 000 6.4zM3.8 17c.5-3.2 2.9-5 6.2-5s5.7 1.8 6.2 5',
  '/export': 'M10 3v9M6.5 8.8L10 12.2l3.5-3.4M4 15v2h12v-2',
}

/** A path without an icon of its own gets a dot. */
export const icon = (path: string) =>
  raw(
    `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="${lines[path] ?? 'M10 9.5v1'}"/></svg>`,
  )
