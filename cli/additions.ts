import { parse, stringify } from 'yaml'
import { membersOf } from '../suites/harness/read.ts'

/**
 * How to add `line`, such as `pods: {volume: VOLUME_ID}`, to a target file that reads as `file`: below a mapping that is
 * there already, in place of a short form, or as it stands. The end of a sentence that begins with "to claim it,".
 */
export function addition(file: unknown, line: string): string {
  let added = membersOf(parse(line)) ?? {}
  let there = membersOf(file) ?? {}
  const path: string[] = []
  for (;;) {
    const [key = '', ...others] = Object.keys(added)
    const inner = membersOf(added[key])
    const below = there[key]
    if (others.length > 0 || inner === null || below === undefined) break
    // The one section with a short form: its address alone.
    if (typeof below === 'string') {
      const whole = { [key]: { url: below, ...inner } }
      return `write instead of ${flow({ [key]: below })} this: ${flow(whole)}`
    }
    path.push(key)
    added = inner
    there = membersOf(below) ?? {}
  }
  const missing = Object.fromEntries(Object.entries(added).filter(([key]) => there[key] === undefined))
  return path.length === 0 ? `add: ${line}` : `add below ${path.join('.')}: ${flow(missing)}`
}

/** Members on one line, without braces around the whole. */
function flow(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([key, value]) =>
      stringify({ [key]: value }, flowing)
        .trim()
        .slice(1, -1)
        .trim(),
    )
    .join(' and ')
}

const flowing = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const
