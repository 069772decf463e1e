import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { authorized } from './auth-tools.ts'
import { asks, showsIn, showsJob, takesInput, takesInstead } from './queue-tools.ts'
import { type Change, defect, type Json, onJson, part, serving } from './tools.ts'

/** A member whose name has unusual characters, and is not there. */
const unicodeLost =
  'nothing at $.na\\u00efve \\u6f22\\u5b57 \\ud83d\\ude80 e\\u0301 \\u202eabc\\u202c "\\/\\u0008\\u000c\\u000a\\u000d\\u0009 <b>…'

/** Faults of the queue plane that show only for some inputs, outputs and options, or after or beside another job. */
export const queueVariation: readonly Defect[] = [
  defect('output-false-dropped', 'queue.run.echo', 'output', {
    variation: { output: 'false' },
    says: 'An output that is false is left out.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output, ...shown }) => (output === false ? shown : { ...shown, output })),
  }),
  defect('output-empty-text-null', 'queue.run.echo', 'output', {
    variation: { output: 'empty text' },
    says: 'An output that is an empty text is null.',
    observed: 'null',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: shown.output === '' ? null : shown.output })),
  }),
  defect('output-json-text-parsed', 'queue.run.echo', 'output', {
    variation: { output: 'JSON in a text' },
    says: 'An output that is a text of JSON is parsed.',
    observed: '{"a":1}',
    change: showsIn('COMPLETED', ({ output, ...shown }) => ({
      ...shown,
      output: typeof output === 'string' ? (jsonIn(output) ?? output) : output,
    })),
  }),
  defect('output-text-trimmed', 'queue.run.echo', 'output', {
    variation: { output: 'JSON in a text' },
    says: 'White space around an output that is a text is lost.',
    observed: '"{\\"a\\":1}"',
    change: showsIn('COMPLETED', ({ output, ...shown }) => ({
      ...shown,
      output: typeof output === 'string' ? output.trim() : output,
    })),
  }),
  defect('output-fraction-rounded', 'queue.run.echo', 'output', {
    variation: { output: 'fraction' },
    says: 'An output that is a number is rounded to six places.',
    observed: '1.234568',
    change: showsIn('COMPLETED', ({ output, ...shown }) => ({
      ...shown,
      output: typeof output === 'number' ? Number(output.toFixed(6)) : output,
    })),
  }),
  defect('output-empty-list-object', 'queue.run.echo', 'output', {
    variation: { output: 'empty list' },
    says: 'An output that is an empty list is an empty object.',
    observed: '{}',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: isEmptyList(shown.output) ? {} : shown.output })),
  }),
  defect('output-list-without-last', 'queue.run.echo', 'output', {
    variation: { output: 'nested' },
    says: 'An output that is a list loses its last entry.',
    observed: 'nothing at $[2]',
    change: showsIn('COMPLETED', ({ output, ...shown }) => ({
      ...shown,
      output: Array.isArray(output) ? output.slice(0, -1) : output,
    })),
  }),
  defect('output-texts-parsed', 'queue.run.echo', 'output', {
    variation: { output: 'nested' },
    says: 'Texts in a list of outputs that are numbers, true or null become these values.',
    observed: 'true at $[1].yes',
    change: showsIn('COMPLETED', (shown) => (Array.isArray(shown.output) ? parsedTexts(shown) : shown)),
  }),
  defect('output-nulls-dropped', 'queue.run.echo', 'output', {
    variation: { output: 'null members' },
    says: 'Members of an output that are null are left out.',
    observed: 'nothing at $.first',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: withoutNulls(shown.output) })),
  }),
  defect('output-direction-marks-stripped', 'queue.run.echo', 'output', {
    variation: { output: 'unicode' },
    says: 'Marks of the direction of writing are taken out of an output.',
    observed: unicodeLost,
    change: showsIn('COMPLETED', (shown) => JSON.parse(JSON.stringify(shown).replaceAll(/[\u202a-\u202e]/g, ''))),
  }),
  defect('input-nulls-dropped', 'queue.run.echo', 'input', {
    variation: { input: 'empty values' },
    says: 'Members of an input that are null do not reach the worker.',
    observed: 'nothing at $.nothing',
    change: takesInput((input) => ('nothing' in input ? withoutNulls(input) : input)),
  }),
  defect('input-empty-name-dropped', 'queue.run.echo', 'input', {
    variation: { input: 'empty values' },
    says: 'A member of an input whose name is empty does not reach the worker.',
    observed: 'nothing at $.',
    change: takesInput(without('')),
  }),
  defect('input-constructor-dropped', 'queue.run.echo', 'input', {
    variation: { input: 'reserved names' },
    says: 'A member of an input that is called constructor does not reach the worker.',
    observed: 'nothing at $.constructor',
    change: takesInput(without('constructor')),
  }),
  defect('input-dates-rewritten', 'queue.run.echo', 'input', {
    variation: { input: 'nested' },
    says: 'Texts in an input that are date-times get a fraction.',
    observed: '"2026-01-01T00:00:00.000Z" at $.likeOthers.date',
    change: takesInput((input) => ('likeOthers' in input ? withDatesRewritten(input) : input)),
  }),
  defect('input-webhook-dropped', 'queue.run.echo', 'input', {
    variation: { input: 'reserved names' },
    says: 'A member of an input that is called webhook does not reach the worker.',
    observed: 'nothing at $.webhook',
    change: takesInput(without('webhook')),
  }),
  defect('input-long-names-cut', 'queue.run.echo', 'input', {
    variation: { input: 'nested' },
    says: 'Names of more than 255 characters are cut in an input.',
    observed: `nothing at $.${'name '.repeat(19)}nam…`,
    change: takesInput(renamed((name) => name.slice(0, 255))),
  }),
  defect('input-markup-escaped', 'queue.run.echo', 'input', {
    variation: { input: 'unicode' },
    says: 'The signs of markup are escaped in the names of members of an input.',
    observed: unicodeLost,
    change: takesInput(renamed((name) => name.replaceAll('<', '&lt;'))),
  }),
  defect('nesting-counted-in-texts', 'queue.run.accepted', 'accepted', {
    variation: { input: 'brackets' },
    says: 'Brackets within texts count as nesting, and a body with more than 800 of them is refused.',
    observed: 'status 400: {"error":"nested too deep"}',
    change: refusesText((text) => text.split('[').length > 800),
  }),
  defect('escaped-quotes-end-texts', 'queue.run.accepted', 'accepted', {
    variation: { input: 'brackets' },
    says: 'An escaped quote ends a text, so that the brackets after it count as nesting.',
    observed: 'status 400: {"error":"nested too deep"}',
    change: refusesText((text) => text.replaceAll(/"[^"]*"/g, '').split('[').length > 800),
  }),
  defect('input-names-escaped', 'queue.run.echo', 'input', {
    variation: { input: 'unicode' },
    says: 'Control characters in the names of members of an input become spaces.',
    observed: unicodeLost,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are lost.
    change: takesInput(renamed((name) => name.replaceAll(/[\x00-\x1f]/g, ' '))),
  }),
  defect('generous-policy-never-dispatched', 'queue.run.echo', 'options', {
    variation: { options: 'generous policy' },
    says: 'A job whose policy is more generous than the defaults is never executed.',
    observed: 'IN_QUEUE',
    change: part(
      'nextJob',
      (_, { waiting }) => [...waiting.all()].find(({ policy }) => policy.executionTimeout !== 900_000) ?? null,
    ),
  }),
  defect('s3-config-fails-job', 'queue.run.echo', 'options', {
    variation: { options: 's3Config' },
    says: 'A job with an s3Config fails, because its bucket is not reached.',
    observed: 'FAILED',
    change: part('finishJob', (next, job, status) =>
      job.s3Config !== null && status === 'COMPLETED' ? next(job, 'FAILED', { error: 'bucket not reached' }) : next(),
    ),
  }),
  defect('input-with-webhook', 'queue.run.echo', 'options', {
    variation: { options: 'webhook' },
    says: 'The input of a job that has a webhook reaches the worker with one more member.',
    observed: 'true at $.webhook',
    change: part('readSubmission', async (next) => {
      const { input, webhook, ...others } = await next()
      return { ...others, webhook, input: webhook === null ? input : { ...input, webhook: true } }
    }),
  }),
  defect('empty-policy-refused', 'queue.run.accepted', 'accepted', {
    variation: { options: 'empty policy' },
    says: 'A policy without members is refused.',
    observed: 'status 400: {"error":"policy is empty"}',
    change: refusesText((text) => text.includes('"policy":{}'), 'policy is empty'),
  }),
  defect('runsync-empty-list-dropped', 'queue.runsync.completed', 'output', {
    variation: { output: 'empty list' },
    says: 'The operation /runsync leaves out an output that is an empty list, object or text.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ output, ...json }) => (isEmpty(output) ? json : { ...json, output })),
  }),
  defect('runsync-ttl-ignored', 'queue.ttl.completed', 'gone', {
    variation: { submission: 'runsync' },
    says: 'The ttl of a job of /runsync is ignored.',
    observed: 'status 200',
    change: part('deadlineOf', (next, job) => (job.operation === 'runsync' ? Number.POSITIVE_INFINITY : next())),
  }),
  defect('run-mends-json-once-it-has-refused', 'queue.body.not-json', 'truncated', {
    variation: { order: 'reversed' },
    says: 'The operation /run mends a body whose last brace is missing, once it has refused another one.',
    observed: 'status 200',
    change: (base) => {
      let hasRefused = false
      return takesInstead('run', (text) => {
        if (hasRefused) return jsonIn(`${text}}`)
        hasRefused = true
        return undefined
      })(base)
    },
  }),
  defect('bucket-not-retried', 'queue.retry-automatic', 'again', {
    variation: { options: 's3Config' },
    says: 'While an endpoint has a job with a bucket, no job there is executed again, whatever becomes of its worker.',
    observed: 'FAILED where the first one died, FAILED where the first one failed',
    change: part(
      'retriesJob',
      (next, { endpoint }) => [...endpoint.jobs.values()].every(({ s3Config }) => s3Config === null) && next(),
    ),
  }),
  defect('failure-spoils-next-job', 'queue.execution-timeout.not-early', 'completed', {
    variation: { execution: 'after a failure' },
    says: 'The job after one that failed is FAILED with the same error.',
    observed: 'FAILED',
    change: (base) => {
      let error: string | undefined
      return part('finishJob', (next, job, status, result) => {
        if (status === 'COMPLETED' && error !== undefined) next(job, 'FAILED', { error })
        else next()
        error = status === 'FAILED' ? result.error : undefined
      })(base)
    },
  }),
  defect('second-job-shown-in-queue', 'queue.status.in-progress', 'executing', {
    variation: { neighbour: 'before' },
    says: 'A job that a worker takes after another one stays IN_QUEUE until it is done.',
    observed: 'IN_QUEUE',
    change: (base) => {
      const used = new Set<string | null>()
      const noted = part('finishJob', (next, job) => {
        used.add(job.workerId)
        next()
      })
      return showsJob((shown, { workerId, status }) =>
        used.has(workerId) && status === 'IN_PROGRESS' ? { ...shown, status: 'IN_QUEUE' } : shown,
      )(noted(base))
    },
  }),
  defect('purge-signs-in', 'auth.queue.hidden', 'refused', {
    says: 'Requests with the key of another account are served once a purge with it was refused.',
    observed: 'status 200',
    change: (base) => {
      const known = new Set<string | null>()
      return serving((request, { fetch }) => {
        const authorization = request.headers.get('authorization')
        const isServed = known.has(authorization)
        if (asks('purge-queue')(request)) known.add(authorization)
        return fetch(isServed ? authorized(request, `Bearer ${defaultKeys.full}`) : request)
      })(base)
    },
  }),
]

/** An input without a member. */
function without(dropped: string): (input: Json) => Json {
  return (input) => Object.fromEntries(Object.entries(input).filter(([name]) => name !== dropped))
}

function withDatesRewritten(input: Json): Json {
  return JSON.parse(JSON.stringify(input).replaceAll(':00Z"', ':00.000Z"'))
}

/** A value whose texts are parsed as JSON, if they can be. */
function parsedTexts(value: Json): Json {
  return JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'string' ? (jsonIn(one) ?? one) : one))
}

/** An input whose members have other names. */
function renamed(rename: (name: string) => string): (input: Json) => Json {
  return (input) => Object.fromEntries(Object.entries(input).map(([name, value]) => [rename(name), value]))
}

/** Submissions are refused for their text. */
function refusesText(isRefused: (text: string) => boolean, why = 'nested too deep'): Change {
  return part('readSubmission', async (next, request) => {
    if (isRefused(await request.clone().text())) throw new Refusal(400, why)
    return next()
  })
}

function isEmpty(value: unknown): boolean {
  return ['[]', '{}', '""'].includes(JSON.stringify(value))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** A JSON value without the members that are null. */
function withoutNulls(value: unknown): unknown {
  const members = membersOf(value)
  if (members === null) return value
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null))
}
