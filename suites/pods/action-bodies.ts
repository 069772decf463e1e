import type { PodAction } from '../../generated/tables.ts'
import { nothing, raw } from '../../harness/client/body.ts'

/** Bodies by the name of what is wrong with each; a value is sent as JSON. */
export type Bodies = Readonly<Record<string, unknown>>

/**
 * Bodies of an action call that are wrong in one way, by the last part of the rule that they belong to. From most of
 * them a lenient reader would still make out which action is meant.
 */
export const wrongBodies = {
  'not-json': (action) => ({
    truncated: raw(`{"action":"${action}"`),
    'bare-word': raw(action),
    'trailing-garbage': raw(`{"action":"${action}"} and more`),
    'trailing-comma': raw(`{"action":"${action}",}`),
  }),
  empty: (action) => ({
    'no-body': nothing,
    'not-utf8': raw(new Uint8Array([...Buffer.from(`{"action":"${action}`), 0xff, ...Buffer.from('"}')])),
  }),
  'not-object': (action) => ({ array: [action], string: action, number: 7, null: null }),
  missing: () => ({ 'no-action': {} }),
  'unknown-action': (action) => ({
    unknown: { action: `${action}-now` },
    'another-case': { action: action.toUpperCase() },
    padded: { action: ` ${action} ` },
  }),
  'wrong-type': (action) => ({
    number: { action: 7 },
    null: { action: null },
    array: { action: [action] },
    object: { action: { [action]: true } },
  }),
  extra: (action) => ({
    'extra-text': { action, reason: 'plumbline' },
    'extra-null': { action, reason: null },
    'extra-first': { force: true, action },
  }),
} satisfies Readonly<Record<string, (action: PodAction) => Bodies>>

/** All of them, each with what is wrong. */
export function allWrongBodies(
  action: PodAction,
): readonly { readonly kind: keyof typeof wrongBodies; readonly body: unknown }[] {
  return (Object.keys(wrongBodies) as (keyof typeof wrongBodies)[]).flatMap((kind) =>
    Object.values<unknown>(wrongBodies[kind](action)).map((body) => ({ kind, body })),
  )
}
