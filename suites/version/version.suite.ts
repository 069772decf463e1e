import type { ApiResponse } from '../../harness/client/api-response.ts'
import { canonical, listOf, type Members, membersOf, show, textIn } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import { retryOnNoCapacity } from '../../harness/planes/pods/fixtures/creating.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import { rule } from '../../harness/rule/registry.ts'
import { shown } from '../shared/patching.ts'

rule('version.paths', async (context) => {
  const { check, on, part, pods } = context
  expectPath('pods', '/v2/pods', await pods.list())
  if (part('queue')) expectPath('queue', `/v2/${context.queue.endpoint}`, await context.queue.health())
  if (part('management')) expectPath('management', '/v1', await on('management').call('listEndpoints'))

  /** A request that succeeds is below a path, or ends with it. */
  function expectPath(clause: string, path: string, response: ApiResponse): void {
    check(clause).success(response)
    const { pathname } = new URL(response.exchange.request.url)
    check(clause).that(`${pathname}/`.includes(`${path}/`), `a path below ${path}`, pathname, response)
  }
})

rule('version.persistent-deprecated', async (context) => {
  const { check, clock, fixture, lacksCapacity, pods } = context
  const persistent = membersOf(fixture.mounts('persistent').persistent) ?? {}
  const create = (mount: Members) =>
    retryOnNoCapacity(lacksCapacity, clock, async () =>
      pods.create(await fixture.body({ kind: 'gpu', mount: 'persistent' }, { mounts: { persistent: mount } })),
    )
  // A size that is not the target file's, unless the platform bounds sizes.
  const larger = { ...persistent, size: Number(persistent.size) + 5 }
  const first = await create(larger)
  const [sent, created] = isRefusal(first) ? [persistent, await create(persistent)] : [larger, first]
  inconclusiveIfNoCapacity(context, created)
  check('accepted').success(created)
  const id = await fixture.createdId(created)
  const { response } = await shown(context, id ?? '', () => true)
  check('shown').status(response, 200)
  const { mounts } = check('shown').object(response)
  const isShown = canonical(membersOf(mounts)?.persistent) === canonical(sent)
  check('shown').that(isShown, 'the persistent mount', show(mounts), response)
})

rule('version.persistent-marked', async ({ check, inconclusive, on }) => {
  const response = await on('openapi').call('getDocument')
  const document =
    membersOf(response.json) ?? inconclusive(`the API document was answered ${response.status} without JSON`)
  const schemas = membersOf(membersOf(document.components)?.schemas) ?? {}
  const mounts = propertiesIn(document, 'persistent')
  if (mounts.length === 0) inconclusive('the API document has no property `persistent`')
  const isMarked = mounts.some((mount) => partsOf(mount, schemas).some(({ deprecated }) => deprecated === true))
  check('marked').that(isMarked, 'deprecated: true at the property `persistent`', 'no mark', response)
})

/** The schemas of all properties of a name, at any depth of a document. */
function propertiesIn(value: unknown, name: string): readonly Members[] {
  if (Array.isArray(value)) return value.flatMap((item) => propertiesIn(item, name))
  const members = membersOf(value)
  if (members === null) return []
  const own = membersOf(membersOf(members.properties)?.[name])
  return [...(own === null ? [] : [own]), ...Object.values(members).flatMap((one) => propertiesIn(one, name))]
}

/** A schema, and those that it refers to or is made of. */
function partsOf(schema: Members, schemas: Members): readonly Members[] {
  const name = textIn(schema.$ref).split('/').at(-1) ?? ''
  // No schema is followed twice: they may refer to each other.
  const { [name]: referred, ...rest } = schemas
  const made = ['allOf', 'anyOf', 'oneOf'].flatMap((member) => listOf(schema, member) ?? [])
  const others = [referred, ...made].map(membersOf).filter((one) => one !== null)
  return [schema, ...others.flatMap((one) => partsOf(one, rest))]
}
