import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import { authorized } from './auth-tools.ts'
import { asks, jsonIn, showsIn, showsJob, takesInput, takesInstead } from './queue-tools.ts'
import { type Change, membersOf, onJson, parts } from './tools.ts'

/** Faults of the queue plane that show only for some inputs, outputs and options, or after or beside another job. */
export const queueVariation = [
  {
    id: 'output-false-dropped',
    variation: 'output false',
    rule: 'queue.run.echo',
    clause: 'output',
    says: 'An output that is false is left out.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output, ...shown }) => (output === false ? shown : { ...shown, output })),
  },
  {
    id: 'output-empty-text-null',
    variation: 'output empty text',
    rule: 'queue.run.echo',
    clause: 'output',
    says: 'An output that is an empty text is null.',
    observed: 'null',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: shown.output === '' ? null : shown.output })),
  },
  {
    id: 'output-empty-list-object',
    variation: 'output empty list',
    rule: 'queue.run.echo',
    clause: 'output',
    says: 'An output that is an empty list is an empty object.',
    observed: 'something else',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: isEmptyList(shown.output) ? {} : shown.output })),
  },
  {
    id: 'output-nulls-dropped',
    variation: 'output null members',
    rule: 'queue.run.echo',
    clause: 'output',
    says: 'Members of an output that are null are left out.',
    observed: 'something else',
    change: showsIn('COMPLETED', (shown) => ({ ...shown, output: withoutNulls(shown.output) })),
  },
  {
    id: 'output-direction-marks-stripped',
    variation: 'output unicode',
    rule: 'queue.run.echo',
    clause: 'output',
    says: 'Marks of the direction of writing are taken out of an output.',
    observed: 'something else',
    change: showsIn('COMPLETED', (shown) => JSON.parse(JSON.stringify(shown).replaceAll(/[\u202a-\u202e]/g, ''))),
  },
  {
    id: 'input-nulls-dropped',
    variation: 'input empty values',
    rule: 'queue.run.echo',
    clause: 'input',
    says: 'Members of an input that are null do not reach the worker.',
    observed: 'something else',
    change: takesInput((input) => ('nothing' in input ? withoutNulls(input) : input)),
  },
  {
    id: 'nesting-counted-in-texts',
    variation: 'input brackets',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'Brackets within texts count as nesting, and a body with more than 800 of them is refused.',
    observed: 'status 400: {"error":"nested too deep"}',
    change: refusesText((text) => text.split('[').length > 800),
  },
  {
    id: 'escaped-quotes-end-texts',
    variation: 'input brackets',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'An escaped quote ends a text, so that the brackets after it count as nesting.',
    observed: 'status 400: {"error":"nested too deep"}',
    change: refusesText((text) => text.replaceAll(/"[^"]*"/g, '').split('[').length > 800),
  },
  {
    id: 'input-names-escaped',
    variation: 'input unicode',
    rule: 'queue.run.echo',
    clause: 'input',
    says: 'Control characters in the names of members of an input become spaces.',
    observed: 'something else',
    change: takesInput((input) =>
      Object.fromEntries(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are lost.
        Object.entries(input).map(([name, value]) => [name.replaceAll(/[\x00-\x1f]/g, ' '), value]),
      ),
    ),
  },
  {
    id: 'default-policy-never-dispatched',
    variation: 'options default policy',
    rule: 'queue.run.echo',
    clause: 'doubles',
    says: 'A job whose policy spells out the defaults is never executed.',
    observed: 'IN_QUEUE',
    change: parts({
      takeJob:
        () =>
        ({ waiting }) =>
          [...waiting.all()].find(({ policy }) => policy.executionTimeout !== 600_000) ?? null,
    }),
  },
  {
    id: 's3-config-fails-job',
    variation: 'options s3Config',
    rule: 'queue.run.echo',
    clause: 'nested',
    says: 'A job with an s3Config fails, because its bucket is not reached.',
    observed: 'FAILED',
    change: parts({
      finishJob: (original) => (job, status, result, service) =>
        job.s3Config !== null && status === 'COMPLETED'
          ? original(job, 'FAILED', { error: 'bucket not reached' }, service)
          : original(job, status, result, service),
    }),
  },
  {
    id: 'empty-policy-refused',
    variation: 'options empty policy',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'A policy without members is refused.',
    observed: 'status 400: {"error":"policy is empty"}',
    change: refusesText((text) => text.includes('"policy":{}'), 'policy is empty'),
  },
  {
    id: 'runsync-empty-list-dropped',
    variation: 'output empty list',
    rule: 'queue.runsync.completed',
    clause: 'output',
    says: 'The operation /runsync leaves out an output that is an empty list.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ output, ...json }) => (isEmptyList(output) ? json : { ...json, output })),
  },
  {
    id: 'runsync-ttl-ignored',
    variation: 'submission runsync',
    rule: 'queue.ttl.completed',
    clause: 'gone',
    says: 'The ttl of a job of /runsync is ignored.',
    observed: 'status 200',
    change: parts({
      deadlineOf: (original) => (job, service) =>
        job.operation === 'runsync' ? Number.POSITIVE_INFINITY : original(job, service),
    }),
  },
  {
    id: 'run-mends-json-once-it-has-refused',
    variation: 'order reversed',
    rule: 'queue.body.not-json',
    clause: 'truncated',
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
  },
  {
    id: 'policy-not-retried',
    variation: 'options default policy',
    rule: 'queue.retry-automatic',
    clause: 'again',
    says: 'A job with a policy is executed once, whatever becomes of its worker.',
    observed: 'FAILED where the first one died, FAILED where the first one failed',
    change: parts({
      retriesJob: (original) => (job, reason, service) =>
        job.policy.ttl === undefined && original(job, reason, service),
    }),
  },
  {
    id: 'failure-spoils-next-job',
    variation: 'execution after a failure',
    rule: 'queue.execution-timeout.not-early',
    clause: 'completed',
    says: 'The two jobs after one that failed are FAILED with the same error.',
    observed: 'FAILED',
    change: (base) => {
      let error = ''
      let spoiled = 0
      return parts({
        finishJob: (original) => (job, status, result, service) => {
          if (status === 'FAILED') {
            error = result.error ?? ''
            spoiled = 2
          }
          if (status === 'COMPLETED' && spoiled-- > 0) original(job, 'FAILED', { error }, service)
          else original(job, status, result, service)
        },
      })(base)
    },
  },
  {
    id: 'second-job-shown-in-queue',
    variation: 'neighbour before',
    rule: 'queue.status.in-progress',
    clause: 'executing',
    says: 'A job that a worker takes after another one stays IN_QUEUE until it is done.',
    observed: 'IN_QUEUE',
    change: (base) => {
      const used = new Set<string | null>()
      const noted = parts({
        finishJob:
          (original) =>
          (job, ...end) => {
            used.add(job.workerId)
            original(job, ...end)
          },
      })
      return showsJob((shown, { workerId, status }) =>
        used.has(workerId) && status === 'IN_PROGRESS' ? { ...shown, status: 'IN_QUEUE' } : shown,
      )(noted(base))
    },
  },
  {
    id: 'purge-signs-in',
    variation: 'order reversed',
    rule: 'auth.queue.missing',
    clause: 'refused',
    says: 'Requests without a token are let in once one of them was refused a purge.',
    observed: 'status 200',
    change: (base) => {
      const known = new Set<string | null>()
      return composeOptions(base, {
        wrapFetch: (fetch) => (request) => {
          const authorization = request.headers.get('authorization')
          const isLet = known.has(authorization)
          if (asks('purge-queue')(request)) known.add(authorization)
          return fetch(isLet ? authorized(request, `Bearer ${defaultKeys.full}`) : request)
        },
      })
    },
  },
] as const satisfies readonly Defect[]

/** Submissions are refused for their text. */
function refusesText(isRefused: (text: string) => boolean, why = 'nested too deep'): Change {
  return parts({
    readSubmission: (original) => async (request, service) => {
      if (isRefused(await request.clone().text())) throw new Refusal(400, why)
      return original(request, service)
    },
  })
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
