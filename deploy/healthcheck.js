/** Runs inside the image: exits with 0 if the service is alive on the console host, else with 1. */
import { get } from 'node:http'

get(`http://127.0.0.1:${process.env.CONSOLE_PORT}/healthz`, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
).on('error', () => process.exit(1))
