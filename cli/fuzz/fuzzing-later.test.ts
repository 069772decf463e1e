import { expect, test } from 'vitest'
import { defects } from '../../proof/defects/index.ts'
import { breaking, crashing, renaming, type Sent } from '../../proof/fuzz/effects.ts'
import { misreadActions } from '../../proof/fuzz/misread-actions.ts'
import { misreadPatches } from '../../proof/fuzz/misread-patches.ts'
import { derivedDefects } from '../../proof/tables/index.ts'
import type { Variant } from '../../proof/types.ts'
import { fuzzTarget, replayOn } from './fuzzing.ts'
import { openInProcess, openReference } from './open-target.ts'

// The effect of a body shows in a later read. The finding must name the bodies that caused it, not those that noticed it.

/** Cases of the enumeration of actions, and with random ones of PATCH. */
const enough = { actions: 450, patches: 1_650 } as const

/** Fuzzes until something is found, at most so many cases. */
async function firstFound(variant: Variant, most: number) {
  const findings = new Map()
  const goesOn = (cases: number) => cases < most && findings.size === 0
  return fuzzTarget({ open: await openInProcess([variant]), seed: 7, goesOn, findings })
}

/** Defects that show in bodies which no campaign sends. */
const notSent: ReadonlySet<string> = new Set([
  // The media type is always that of JSON.
  'action-as-text-ignored',
  'action-as-text-refused-and-stops',
  'action-as-text-refused-and-stops-later',
  'update-pod-as-text-refused-and-done',
  // Every PATCH has mounts, and few have empty ones.
  'omitted-mounts-remove-persistent',
  'empty-mounts-remove-mount-of-cpu-pods',
  'empty-mounts-alone-remove-mount',
  'variables-alone-remove-mount',
  // No PATCH of a campaign has these fields.
  'refused-patch-sets-variables',
  'refused-patch-sets-disk',
  'refused-patch-sets-ports',
  'refused-patch-sets-locked',
  'refused-patch-of-disk-carried-out',
  'refused-patch-of-disk-renames',
  // No pod of a campaign gets a PATCH before it is RUNNING.
  'new-pod-gets-refused-mount',
  // No campaign looks as late.
  'refused-start-stops-after-minutes',
])

/** Tables whose bodies a campaign sends too; it sends no other body of a table as it is. */
const isOfSentTable = ({ rule }: (typeof defects)[number]) =>
  /^pods\.(action-body\.missing|patch\.(both|partial-\w+|extra))$/.test(rule)

/** A defect that shows only in a variation may show in none of the pods of a campaign. */
const isSeenLater = ({ rule, clause, variation }: (typeof defects)[number]) =>
  variation === undefined &&
  /^pods\.(action-body|patch|action\.(running|exited)\.(start|stop|restart))/.test(rule) &&
  ['unchanged', 'carried-out', 'mount'].includes(clause)
const derived = new Set(derivedDefects)
const written = defects.filter((each) => !derived.has(each))
/** One defect per table and clause; the others differ only in the body. */
const ofTables = Map.groupBy(
  derivedDefects.filter((each) => isOfSentTable(each) && isSeenLater(each)),
  ({ rule, clause }) => `${rule} ${clause}`,
)
const later = [...written, ...misreadActions, ...misreadPatches]
  .filter((each) => isSeenLater(each) && !notSent.has(each.id))
  .concat([...ofTables.values()].flatMap(([first]) => first ?? []))

test.each(later)('$id is found again by its seed and path alone', async (defect) => {
  const { findings, notes } = await firstFound(
    defect,
    enough[defect.rule.startsWith('pods.patch') ? 'patches' : 'actions'],
  )
  expect(notes).toEqual([])
  const [found] = findings
  if (found === undefined) throw new Error('nothing was found')
  const { seed, path, observed, cases } = found
  const target = await openInProcess([defect])
  expect((await replayOn(target, { seed, path })).seen).toMatchObject({ wrong: observed, cases })
  expect((await replayOn(await openReference(target.target), found)).seen).toMatchObject({
    wrong: null,
    undecided: null,
  })
})

const held = (text: string) => (sent: Sent) => sent.bodies.some((one) => one.includes(text))
test.each<[what: string, wrap: Variant['wrap'], found: readonly string[] | null, note: RegExp | null]>([
  ['one body', renaming(() => true), ['extra-null'], null],
  ['the second of two', renaming(held('null')), ['extra-null', 'extra-null'], null],
  ['one after another', renaming(held('__proto__')), ['extra-proto', 'extra-null'], null],
  ['a body that breaks its pod', breaking(), ['extra-null', 'extra-proto'], null],
  [
    'one of many, once only',
    renaming(({ total }) => total === 2),
    null,
    /^triggerPodAction \w+: name "renamed" appeared on a pod while bodies were refused, and not again on a new pod: no/,
  ],
  [
    'the pod by itself',
    crashing(),
    null,
    /^triggerPodAction RUNNING: status 200 to .* came once, and not again on a new pod: no finding/,
  ],
])('where the cause is %s, that is told', async (_, wrap, found, note) => {
  const variant: Variant = { id: 'made-here', says: 'A defect of this test.', ...(wrap && { wrap }) }
  const { findings, notes } = await firstFound(variant, enough.actions)
  expect(notes).toEqual(note === null ? [] : [expect.stringMatching(note)])
  const [first] = findings
  expect(first?.cases.map(({ mutator }) => mutator) ?? null).toEqual(found)
  if (first === undefined) return
  const { seen } = await replayOn(await openInProcess([variant]), { seed: first.seed, path: first.path })
  expect(seen).toMatchObject({ wrong: first.observed, cases: first.cases })
})
