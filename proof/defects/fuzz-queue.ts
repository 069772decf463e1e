import { answers, readsAs, restates } from '../fuzz/tools.ts'
import type { Defect } from '../types.ts'

/** What only odd submissions bring to light. */
export const fuzzQueue = [
  {
    id: 'run-passes-over-comment',
    rule: 'queue.body.fuzz',
    clause: 'run',
    says: 'The operation /run passes over a comment before a submission.',
    observed: 'status 200 to comment at $',
    wrap: readsAs('run', (body) => body.replace('/* now */', '')),
  },
  {
    id: 'run-fraction-is-a-fault',
    rule: 'queue.body.fuzz',
    clause: 'run',
    says: 'The operation /run answers 500 to a ttl with a fraction.',
    observed: 'status 500 to fraction at $.policy.ttl',
    wrap: restates('run', (body) => /"ttl":\d+\.5/.test(body), 500),
  },
  {
    id: 'runsync-ttl-text-422',
    rule: 'queue.body.fuzz',
    clause: 'runsync',
    says: 'The operation /runsync answers 422 to a ttl that is a text.',
    observed: 'status 422 to as-text at $.policy.ttl',
    wrap: restates('runsync', (body) => body.includes('"ttl":"'), 422),
  },
  {
    id: 'runsync-refuses-all',
    rule: 'queue.body.fuzz',
    clause: 'runsync',
    says: 'The operation /runsync answers 400 to every submission.',
    observed: 'status 400 to as-is at $',
    wrap: answers('runsync', () => true, 400),
  },
  {
    id: 'spaced-submission-without-job',
    rule: 'queue.body.fuzz',
    clause: 'id',
    says: 'A submission with white space around its parts is answered 200, and no job is made of it.',
    observed: 'no id',
    wrap: answers('run', (body) => body.includes('\t'), 200),
  },
] as const satisfies readonly Defect[]
