import type { Reply } from '../../harness/client/reply.ts'
import { canonical, membersOf, show } from '../../harness/exchange/read.ts'
import { whenCapable } from '../../harness/fixtures/creating.ts'
import { rule } from '../../harness/rule/registry.ts'

rule('version.paths', async (context) => {
  const { check, on, part, pods } = context
  expectPath('pods', '/v2/pods', await pods.list())
  if (part('queue')) expectPath('queue', `/v2/${context.queue.endpoint}`, await context.queue.health())
  if (part('management')) expectPath('management', '/v1', await on('management').call('listEndpoints'))

  /** A request that succeeds is below a path, or ends with it. */
  function expectPath(clause: string, path: string, reply: Reply): void {
    check(clause).success(reply)
    const { pathname } = new URL(reply.exchange.request.url)
    check(clause).that(`${pathname}/`.includes(`${path}/`), `a path below ${path}`, pathname, reply)
  }
})

rule('version.persistent-deprecated', async (context) => {
  const { check, clock, fixture, inconclusive, lacksCapacity, pods } = context
  const { persistent } = fixture.mounts('persistent')
  const created = await whenCapable({ lacksCapacity, sleep: (ms) => clock.sleep(ms) }, async () =>
    pods.create(await fixture.body({ kind: 'gpu', mount: 'persistent' })),
  )
  if (lacksCapacity(created)) inconclusive('the target has no capacity')
  check('accepted').success(created)
  const id = await fixture.createdId(created)
  const reply = await pods.get(id ?? '')
  check('shown').status(reply, 200)
  const { mounts } = check('shown').object(reply)
  const isShown = canonical(membersOf(mounts)?.persistent) === canonical(persistent)
  check('shown').that(isShown, 'the persistent mount', show(mounts), reply)
})
