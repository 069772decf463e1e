import { expect, test } from 'vitest'
import { jsonOf } from '../../harness/exchange/exchange.ts'
import type { Transport } from '../../harness/transport/types.ts'
import { latitudes } from '../../proof/catalog.ts'
import { longWalks, walk } from '../../proof/defects/walk.ts'
import type { Variant } from '../../proof/types.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import { againCommand, walkLines } from './fuzz-report.ts'
import { fuzzTarget, walkOn } from './fuzzing.ts'
import { openInProcess, openReference } from './open-target.ts'

const seed = 7
/** Walks that find each of the defects. */
const enough = 30

/** Takes walks until something is found. */
async function firstFound(variant: Variant) {
  const findings = new Map()
  const goesOn = (walks: number) => walks < enough && findings.size === 0
  const { findings: found, notes } = await fuzzTarget({
    open: await openInProcess([variant]),
    seed,
    walks: ['pods'],
    goesOn,
    findings,
  })
  expect(notes).toEqual([])
  return found[0]
}

test('no walk on the reference has a finding', { timeout: 60_000 }, async () => {
  const run = await fuzzTarget({
    open: await openReference(),
    seed: 11,
    walks: ['pods'],
    goesOn: (walks) => walks < 25,
  })
  expect(run).toMatchObject({ cases: 25, findings: [], stopped: null, notes: [] })
})

test('no locked pod is left behind where one cannot be terminated', { timeout: 60_000 }, async () => {
  const open = await openInProcess(latitudes.filter(({ id }) => id === 'locked-423'))
  let locked = 0
  const transport: Transport = (request, patience) => {
    if (new TextDecoder().decode(request.body ?? undefined) === '{"locked":true}') locked++
    return open.transport(request, patience)
  }
  const run = await fuzzTarget({ open: { ...open, transport }, seed: 2, walks: ['pods'], goesOn: (walks) => walks < 8 })
  expect(run).toMatchObject({ findings: [], notes: [], stopped: null })
  expect(locked).toBeGreaterThan(0)
  const { keys, pods } = open.target
  const headers = [['Authorization', `Bearer ${keys.full}`] as const]
  const list = await open.transport({ method: 'GET', url: `${pods?.url}/v2/pods`, headers, body: null })
  expect(jsonOf(list.body)).toEqual({ pods: [] })
})

test.each([...walk, ...longWalks].map((defect) => [defect.id, defect] as const))(
  '%s is found in few walks, in few steps, and again by its path; the reference is as expected',
  { timeout: 60_000 },
  async (_, defect) => {
    const finding = await firstFound(defect)
    expect(finding?.walk?.calls.length).toBeLessThanOrEqual(9)
    const again = await walkOn(await openInProcess([defect]), { plane: 'pods', seed, path: finding?.path ?? '' })
    expect(again).toMatchObject({ stopped: null, seen: { observed: finding?.observed, failure: null } })
    const calls = ({ said }: { readonly said: string }) => said
    expect(again.seen?.calls.map(calls)).toEqual(finding?.walk?.calls.map(calls))
    if (finding?.walk === undefined) return
    const reference = await walkOn(await openReference(), finding.walk)
    expect(reference).toMatchObject({ stopped: null, seen: { observed: null, failure: null } })
  },
)

test('the steps of a walk are told as shell lines', async () => {
  const body = (json: object) => new TextEncoder().encode(JSON.stringify(json))
  const calls: WalkCall[] = [
    { said: 'create A', operation: 'createPod', pod: 'A', shape: { mount: 'network' }, rest: 'RUNNING' },
    { said: 'create B without a wait', operation: 'createPod', pod: 'B', shape: { kind: 'cpu' } },
    { said: 'A: stop', operation: 'triggerPodAction', pod: 'A', bytes: body({ action: 'stop' }), rest: 'EXITED' },
    { said: 'A: get by another account', operation: 'getPod', pod: 'A', isStranger: true, status: 404, rest: 'EXITED' },
    { said: 'wait 3 s', operation: 'wait', seconds: 3 },
    { said: 'B: delete', operation: 'deletePod', pod: 'B', status: 204, rest: 'TERMINATED' },
  ]
  const lines = await walkLines((await openReference()).target, { plane: 'pods', calls })
  const short = lines.map((line) =>
    line.replaceAll(/ -H '[^']*'/g, '').replaceAll(/"Authorization: Bearer (\S+)"/g, '$1'),
  )
  expect(short).toMatchInlineSnapshot(`
    [
      "export BASE=https://reference.test",
      "export KEY_FULL=\${KEY_FULL:-plumbline-example-''full}",
      "export KEY_STRANGER=\${KEY_STRANGER:-plumbline-example-''stranger}",
      "export CLOCK="$BASE/plumbline/clock"",
      "wait_ms() { local now end= i; for i in $(seq 1000); do now=$(curl -s "$CLOCK" | grep -o '"nowMs"[^,}]*' | grep -o '[0-9]*$'); end=\${end:-$((now + $1))}; [ "$now" -ge "$end" ] && break; curl -s -o /dev/null -X POST "$CLOCK" -d '{"advanceMs":'"$((end - now))"'}'; done; }",
      "A=$(curl -s -X POST "$BASE/v2/pods" -H $KEY_FULL --data-binary '{"name":"plumbline-fuzz","image":"nginx:1.29-alpine","gpu":{"id":"gpu-a","count":1},"mounts":{"network":[{"volumeId":"vol-1","path":"/workspace"}]},"env":{"PLUMBLINE":"kept"}}' | grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n 1p | cut -d '"' -f 4); echo "A=$A"",
      "for i in $(seq 120); do curl -s "$BASE/v2/pods/$A" -H $KEY_FULL | grep -q '"status"[[:space:]]*:[[:space:]]*"RUNNING"' && break; wait_ms 1000; done",
      "B=$(curl -s -X POST "$BASE/v2/pods" -H $KEY_FULL --data-binary '{"name":"plumbline-fuzz","image":"nginx:1.29-alpine","cpu":{"id":"FLAVOR_ID","vcpuCount":2},"env":{"PLUMBLINE":"kept"}}' | grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n 1p | cut -d '"' -f 4); echo "B=$B"",
      "printf '{"action":"stop"}' | curl -si -X POST "$BASE/v2/pods/$A/action" -H $KEY_FULL --data-binary @-; echo",
      "for i in $(seq 120); do curl -s "$BASE/v2/pods/$A" -H $KEY_FULL | grep -q '"status"[[:space:]]*:[[:space:]]*"EXITED"' && break; wait_ms 1000; done",
      "curl -si "$BASE/v2/pods/$A" -H $KEY_STRANGER; echo",
      "wait_ms 3000",
      "curl -si -X DELETE "$BASE/v2/pods/$B" -H $KEY_FULL; echo",
      "curl -s "$BASE/v2/pods" -H $KEY_FULL; echo",
      "curl -s "$BASE/v2/pods/$A" -H $KEY_FULL; echo",
      "curl -s "$BASE/v2/pods/$B" -H $KEY_FULL; echo",
      "# afterwards: curl -s -X DELETE "$BASE/v2/pods/$A" -H $KEY_FULL; curl -s -X DELETE "$BASE/v2/pods/$B" -H $KEY_FULL",
    ]
  `)
})

test('the command that takes a walk again can be pasted into a shell', () => {
  const finding = { seed: 7, path: '3:0@AB:q', walk: { plane: 'pods' } } as const
  expect(againCommand('my target.yaml', finding)).toBe(
    "node bin/plumbline.js fuzz --walk pods --target 'my target.yaml' --seed 7 --path 3:0@AB:q",
  )
})

test('a path that the seed does not draw takes no walk', async () => {
  expect(await walkOn(await openReference(), { plane: 'pods', seed, path: '3,4' })).toEqual({
    seen: null,
    stopped: null,
  })
})
