import { expect, onTestFinished, test } from 'vitest'
import { rules } from '../../generated/rules.ts'
import { createInstance } from '../../proof/instance.ts'
import { createConnections } from '../client/connections.ts'
import { createReadSpacing } from '../client/read-spacing.ts'
import { createRealClock } from '../clock/real.ts'
import type { RunServices } from '../planes/owner.ts'
import { Inconclusive } from '../rule/outcome.ts'
import { inProcess } from '../transport/in-process.ts'
import { createOwner } from './owner.ts'

const { fetch, target } = createInstance([])
const ran: string[] = []
const services: RunServices = {
  channel: {
    runId: 'rtest000000',
    version: '0.0.0',
    transport: inProcess(fetch),
    tolerances: target.tolerances,
    now: () => 0,
    wallNow: () => 0,
    next: () => 1,
    gate: () => null,
    mayCountElsewhere: () => false,
    reads: createReadSpacing(0, () => 0),
    record: () => {},
    health: () => ({ stoppedMs: () => 0, admit: async () => null, send: (_, transmit) => transmit() }),
    standstillMs: 0,
    connections: createConnections(async () => false),
    keys: null,
  },
  target,
  controlled: false,
  seed: 1,
  resources: () => {},
  isReplayed: false,
  async hook(_, n, __, { pod }) {
    ran.push(`${n} ${pod}`)
    return null
  },
  receiver: null,
  foundations: {
    holds() {},
    pending: () => null,
    rely() {},
    failureOf: async () => null,
  },
  longWaits: { came() {}, missed() {}, endUnlessCame() {}, once: (_, __, { wait }) => wait() },
}

test('names of a run have at most 33 characters, and those of two rules differ', () => {
  const clock = createRealClock()
  onTestFinished(() => clock.close())
  const names = rules.map(({ id }) => createOwner(services, id, clock.actor(id)).nextName())
  expect(new Set(names).size).toBe(rules.length)
  expect(names.filter((name) => !/^plumbline-rtest000000-[a-z0-9]{6}-1$/.test(name))).toEqual([])
})

test('an owner that was released runs no hook any more', async () => {
  const clock = createRealClock()
  onTestFinished(() => clock.close())
  const owner = createOwner(services, 'rule', clock.actor('rule'))
  const { hook } = owner.on('pods').maker(async () => ({}))
  expect(await hook({ command: ['break'] }, 'p1', 'ERROR')).toBe(null)
  owner.release()
  const refusal = new Inconclusive('the hook was not run, because its rule has ended')
  await expect(hook({ command: ['break'] }, 'p2', 'ERROR')).rejects.toThrow(refusal)
  expect(ran).toEqual(['1 p1'])
})
