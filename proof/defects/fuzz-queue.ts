import { answers, readsAs, restates } from '../fuzz/tools.ts'
import type { Defect } from '../types.ts'
import { defect } from './tools.ts'

/** Defects that only odd submissions reveal. */
export const fuzzQueue: readonly Defect[] = [
  defect('run-passes-over-comment', 'queue.body.fuzz', 'run', {
    says: 'The operation /run passes over a comment before a submission.',
    observed: 'status 200 to comment at $',
    wrap: readsAs('run', (body) => body.replace('/* now */', '')),
  }),
  defect('run-fraction-is-a-fault', 'queue.body.fuzz', 'run', {
    says: 'The operation /run answers 500 to a ttl with a fraction.',
    observed: 'status 500 to fraction at $.policy.ttl',
    wrap: restates('run', (body) => /"ttl":\d+\.5/.test(body), 500),
  }),
  defect('runsync-ttl-text-422', 'queue.body.fuzz', 'runsync', {
    says: 'The operation /runsync answers 422 to a ttl that is a text.',
    observed: 'status 422 to as-text at $.policy.ttl',
    wrap: restates('runsync', (body) => body.includes('"ttl":"'), 422),
  }),
  defect('runsync-refuses-all', 'queue.body.fuzz', 'runsync', {
    says: 'The operation /runsync answers 400 to every submission.',
    observed: 'status 400 to as-is at $',
    wrap: answers('runsync', () => true, 400),
  }),
  defect('spaced-submission-without-job', 'queue.body.fuzz', 'id', {
    says: 'A submission with white space around its parts is answered 200, and no job is made of it.',
    observed: 'no id',
    wrap: answers('run', (body) => body.includes('\t'), 200),
  }),
]
