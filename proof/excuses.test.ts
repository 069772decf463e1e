import { expect, test } from 'vitest'
import type { RuleId } from '../generated/rules.ts'
import { exchanges, requestOf } from './defects/tools.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'

const { defects, rules } = everything()

/** Rules that a defect of another rule reaches, judged beside that rule: each with its verdict. */
test.each<readonly [defect: string, rules: readonly RuleId[], verdict: string]>([
  ['many-submissions-refused', ['queue.body.ttl-bounds', 'queue.status.failed'], 'blocked'],
  ['many-submissions-refused', ['queue.body.fuzz'], 'blocked'],
  ['run-refused-when-busy', ['queue.cancel.queued', 'queue.status.in-progress'], 'blocked'],
  ['every-fiftieth-job-lost', ['queue.run.accepted'], 'passed'],
  ['every-fiftieth-submission-without-id', ['queue.run.accepted'], 'passed'],
  ['unknown-job-in-queue', ['queue.ttl.running', 'queue.ttl.completed', 'auth.queue.hidden'], 'blocked'],
  ['unknown-job-in-queue', ['queue.route-unknown'], 'passed'],
  ['running-job-not-cancelled', ['auth.queue.hidden', 'auth.queue.missing'], 'blocked'],
  ['cancelled-job-status-500', ['queue.cancel.running'], 'failed'],
  ['cancelled-job-status-500', ['queue.status.values'], 'passed'],
  ['nesting-counted-in-texts', ['queue.runsync.when-done'], 'passed'],
  ['pods-create-both-mounts-both-accepted', ['pods.create.atomic'], 'blocked'],
  ['persistent-mounts-withdrawn', ['pods.create.mount-path'], 'blocked'],
  ['persistent-mounts-ignored', ['pods.patch.persistent-size'], 'blocked'],
  ['new-endpoint-jobs-not-shown', ['endpoints.gpu-priority'], 'blocked'],
  ['quota-one-less-not-named', ['deploy.endpoint-per-config'], 'passed'],
  ['greatest-ttl-refused', ['queue.ttl.maximum'], 'blocked'],
  [
    'list-shows-disk-as-text',
    ['pods.walk', 'pods.action.exited.start', 'pods.create.gpu', 'pods.patch.extra'],
    'passed',
  ],
  ['runsync-wait-over-loses-job', ['queue.retention.runsync', 'queue.retention.runsync-404'], 'blocked'],
  ['runsync-job-not-kept', ['queue.status.completed-has-output', 'queue.status.crash-once'], 'blocked'],
  ['catalog-404', ['pods.create.cpu', 'pods.patch.cpu-persistent'], 'blocked'],
  ['catalog-empty', ['pods.create.cpu', 'pods.patch.cpu-persistent'], 'blocked'],
  ['delete-of-starting-ignored', ['pods.action.terminate-is-final'], 'blocked'],
  ['repeated-patch-of-cpu-pod-conflicts', ['pods.patch.mount-on-bare', 'pods.patch.cpu-persistent'], 'passed'],
  ['cancel-keeps-worker', ['queue.status.in-progress', 'queue.ttl.frees-worker'], 'blocked'],
  ['execution-timeout-keeps-worker', ['queue.cancel.queued', 'queue.ttl.frees-worker'], 'blocked'],
  ['ttl-keeps-worker', ['queue.run.no-worker-free', 'queue.status.in-progress'], 'blocked'],
  ['endpoint-without-id', ['endpoints.create', 'endpoints.unique', 'endpoints.types'], 'passed'],
])('on %s, %j is %s', async (id, others, verdict) => {
  const defect = defects.find((one) => one.id === id)
  if (defect === undefined) throw new Error(`unknown defect ${id}`)
  const chosen = new Set<string>([defect.rule, 'queue.run.accepted', 'queue.run.unique-ids', ...others])
  const judgements = await judgeOn({ variants: [defect], rules: rules.filter((rule) => chosen.has(rule.id)) })
  const seen = new Map(judgements.map((judgement) => [judgement.rule, judgement]))
  for (const rule of others) {
    expect({ rule, verdict: seen.get(rule)?.verdict }).toEqual({ rule, verdict })
    if (verdict === 'blocked') expect(seen.get(String(seen.get(rule)?.by))).toMatchObject({ verdict: 'failed' })
  }
})

/** Rules that judge a list where nothing can be created. */
test.each([
  ['creation-answers-nothing-and-list-no-names', 'pods-no-key-serves-list-pods', 'auth.pods.missing'],
  ['endpoint-creation-500', 'no-key-serves-list', 'auth.management.missing'],
])('beside %s, %s fails its rule', async (creation, list, rule) => {
  const variants = defects.filter(({ id }) => id === creation || id === list)
  const foundation = variants.find(({ id }) => id === creation)?.rule
  const chosen = rules.filter(({ id }) => id === rule || id === foundation)
  const judgements = await judgeOn({ variants, rules: chosen })
  expect(judgements.find((judgement) => judgement.rule === rule)).toMatchObject({ verdict: 'failed' })
  const without = await judgeOn({ variants: variants.filter(({ id }) => id === creation), rules: chosen })
  expect(without.find((judgement) => judgement.rule === rule)).toMatchObject({ verdict: 'blocked' })
})

test('a member of a pod whose PATCH is refused is not judged for another account', async () => {
  const { latitudes } = everything()
  const variants = latitudes.filter(({ id }) => id === 'change-takes-arguments')
  const [judgement] = await judgeOn({ variants, rules: rules.filter(({ id }) => id === 'auth.pods.hidden') })
  expect(judgement).toMatchObject({
    verdict: 'passed',
    readings: { 'PATCH of env': expect.stringContaining('not judged') },
  })
})

test('a worker that ignores exit shows nothing about jobs whose worker died', async () => {
  const wrap = exchanges(requestOf('runJob'), (body) =>
    JSON.parse(JSON.stringify(body).replace('"exit":1', '"emit":1')),
  )
  const chosen = rules.filter(({ id }) => id === 'queue.ttl.worker-died')
  const variants = [{ id: 'deathless', says: 'Workers never exit.', wrap }]
  expect(await judgeOn({ variants, rules: chosen })).toMatchObject([{ verdict: 'inconclusive' }])
})
