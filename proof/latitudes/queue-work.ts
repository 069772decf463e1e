import { asks, showsIn } from '../defects/queue-tools.ts'
import { onAnswer, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude } from './tools.ts'

const second = 1_000

/** How long /runsync waits, how results are kept, what /health shows, and in which order jobs are executed. */
export const queueWork: readonly Latitude[] = [
  latitude('runsync-waits-half', 'The operation /runsync waits for half of the stated time.', {
    change: part('runsyncWaitOf', (next) => next() / 2),
    readings: {
      'queue.runsync.wait-length': { wait: 'shorter than 60 s' },
      'queue.runsync.wait-configured': { wait: 'shorter than 15 s' },
    },
  }),
  latitude('runsync-waits-long', 'The operation /runsync waits for five minutes.', {
    change: part('runsyncWaitOf', () => 300 * second),
    readings: {
      'queue.runsync.wait-length': { wait: 'longer than 60 s' },
      'queue.runsync.wait-configured': { wait: 'longer than 15 s' },
    },
  }),
  latitude('runsync-wait-over-408', 'The operation /runsync answers 408 without a job when its wait is over.', {
    about: 'responses of /runsync',
    wrap: onAnswer(asks('runsync'), ({ text }) =>
      /"status":"IN_/.test(text) ? { status: 408, text: '{"error":"the wait is over"}' } : {},
    ),
  }),
  latitude('error-as-json', 'The error of a FAILED job is a JSON text that has the message of the handler.', {
    change: showsIn('FAILED', ({ error, ...shown }) => ({ ...shown, error: JSON.stringify({ error_message: error }) })),
  }),
]
