import { describe, expect, test } from 'vitest'
import type { EvidenceEvent, HookEvent } from '../harness/record/events.ts'
import { buildResults } from './build.ts'
import { eventsOf, sampleExchange, sampleFinding, sampleRow, sampleRun, sampleTarget, sampleVerdict } from './sample.ts'

const rule = 'pods.a.b'
const maker = 'fixture:pod.error'
const url = 'https://api.example.test'
const ran: HookEvent = { type: 'hook', owner: maker, hook: 1, pod: 'p1', status: 'ERROR', failure: null }

const made = sampleExchange(1, maker, {
  operation: 'createPod',
  path: '/v2/pods',
  body: { name: 'a' },
  status: 201,
  answer: { id: 'p1', status: 'PROVISIONING' },
})
const looks = (from: number, status: string, owner = maker) =>
  [from, from + 1].map((n) => sampleExchange(n, owner, { answer: { id: 'p1', status } }))
const posted = `curl -s -X POST http://hooks.test/break -H 'Content-Type: application/json' --data-binary '{"run":"r0abc","pod":"'"$POD_1"'","status":"ERROR"}'; echo`

describe('the shell lines of a pod that a hook brought to its status', () => {
  test.each<[hook: object, lines: string[], demanded: string | undefined]>([
    [{ url: 'http://hooks.test/break' }, ['# 3. hook of ERROR: done in the run', posted], undefined],
    [
      { url: '«hook.ERROR»' },
      ['# 3. hook of ERROR: done in the run', posted.replace('http://hooks.test/break', '"$HOOK_ERROR"')],
      `export HOOK_ERROR="\${HOOK_ERROR:?set it to text 1 from the environment in pods.statuses.ERROR.hook of your target file}"`,
    ],
    [
      { command: ['./break.sh', 'a\nb', '«hook.ERROR.2»'] },
      [
        '# 3. hook of ERROR: done in the run',
        `# where Plumbline was started: PLUMBLINE_RUN=r0abc PLUMBLINE_POD="$POD_1" PLUMBLINE_STATUS=ERROR ./break.sh 'a b' "$HOOK_ERROR_2"`,
      ],
      `export HOOK_ERROR_2="\${HOOK_ERROR_2:?set it to text 2 from the environment in pods.statuses.ERROR.hook of your target file}"`,
    ],
  ])('say what to call, where it was called: %j', async (hook, expected, demanded) => {
    const act = { operation: 'triggerPodAction', path: '/v2/pods/p1/action', body: { action: 'start' } } as const
    const lines = await linesOf(hook, [
      made,
      ...looks(2, 'RUNNING'),
      ran,
      { ...ran, pod: 'p2' },
      ...looks(4, 'ERROR'),
      sampleExchange(6, rule, act),
    ])
    expect(titles(lines)).toEqual([
      '# 1. createPod: 201 PROVISIONING in the run',
      '# 2. getPod: 200 RUNNING in the run, after 2 requests, the first answered 200 RUNNING',
      ...expected.slice(0, 1),
      '# 4. getPod: 200 ERROR in the run, after 2 requests, the first answered 200 ERROR',
      '# 5. triggerPodAction: 200 RUNNING in the run',
    ])
    const at = lines.indexOf(expected[0] ?? '')
    expect(lines.slice(at, at + 2)).toEqual(expected)
    expect(lines.find((line) => line.startsWith('export HOOK'))).toBe(demanded)
  })

  test('say so where a list shows the pod', async () => {
    const listed = { pods: [{ id: 'p1', status: 'ERROR' }] }
    const lines = await linesOf({ url: 'http://hooks.test/break' }, [
      made,
      ran,
      ...looks(3, 'PROVISIONING'),
      sampleExchange(6, 'probe', { operation: 'listPods', path: '/v2/pods', answer: listed }),
    ])
    expect(titles(lines).map((line) => line.split(':')[0])).toEqual([
      '# 1. createPod',
      '# 2. hook of ERROR',
      '# 3. getPod',
      '# 4. listPods',
    ])
    expect(lines).toContain(posted)
  })
})

function titles(lines: readonly string[]): string[] {
  return lines.filter((line) => /^# \d+\. /.test(line))
}

async function linesOf(hook: object, events: readonly EvidenceEvent[]): Promise<readonly string[]> {
  const pods = { url, paths: {}, recipes: { ERROR: { body: {}, actions: [], hook } } }
  const last = events.findLast((event) => event.type === 'exchange')
  const results = await buildResults(
    eventsOf([
      sampleRun([rule], { target: sampleTarget({ pods }) }),
      ...events,
      sampleFinding(rule, last?.n ?? null),
      sampleVerdict(rule, 'failed'),
    ]),
    { ledger: [sampleRow(rule)] },
  )
  return results.rules[0]?.curl ?? []
}
