import { expect, test } from 'vitest'
import type { ResourceLine } from '../../harness/record/resources.ts'
import { inProcess } from '../../harness/transport/in-process.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { createControlledClock, createReference, defaultKeys } from '../../reference/index.ts'
import { createLoadPod } from './pod.ts'

const headers = { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' }

/** The pod of a load on a reference that grants `minute` requests. */
function loadPod(minute: number) {
  const target = referenceTarget('https://reference.test', 'real')
  if (target.pods === null) throw new Error('the reference has no pod plane')
  const { fetch } = createReference({ clock: createControlledClock(0).clock, quotas: { minute } })
  const lines: ResourceLine[] = []
  const pod = createLoadPod({
    transport: inProcess(fetch),
    target,
    section: target.pods,
    token: defaultKeys.full,
    userAgent: 'plumbline',
    name: 'plumbline-r1-load-pod-429',
    clock: { sleep: async () => 0 },
    resources: (line) => lines.push(line),
  })
  const create = async (path: string, body: string | null) =>
    fetch(new Request(`https://reference.test${path}`, { method: 'POST', headers, body }))
  const states = () => lines.map((line) => 'state' in line && line.state)
  return { pod, create, states }
}

test('a pod is noted before it is created, and removed', async () => {
  const { pod, create, states } = loadPod(10)
  const { createPod, act } = await pod.requests('stop')
  expect(act).toEqual({ method: 'POST', path: '/v2/pods/{id}/action', body: '{"action":"stop"}' })
  expect(states()).toEqual(['requested'])
  expect(await create(createPod?.path ?? '', createPod?.body ?? null)).toMatchObject({ status: 201 })
  expect(await pod.remove()).toEqual([])
  expect(states()).toEqual(['requested', 'removed'])
})

test('a pod that cannot be removed stays in the ledger, and a remark says so', async () => {
  const { pod, create, states } = loadPod(1)
  const { createPod, act } = await pod.requests('delete')
  expect(act?.method).toBe('DELETE')
  await create(createPod?.path ?? '', createPod?.body ?? null)
  expect(await pod.remove()).toEqual(['the pod plumbline-r1-load-pod-429 may be left; plumbline sweep removes it'])
  expect(states()).toEqual(['requested'])
})
