import { tables } from '../../../generated/tables.ts'
import type { ValidationFailure, Validator } from '../../../generated/validators.ts'
import { type Members, membersOf } from '../../../harness/exchange/read.ts'
import { schemaNamed } from '../schema.ts'
import { type Allowed, failuresOf, mayBeTaken, refused } from './allowed.ts'

const heading = 'Job submission body'

/**
 * The permitted responses to a submission: 200, or 400 for an input of invalid format (headings Job submission body,
 * Errors). There is no 422 on this plane. If the table of fields is undecided, both are permitted.
 */
export function ofSubmission(value: unknown, isValid: Validator): Allowed[] {
  const members = membersOf(value)
  if (members === null) return [refused([400], 'the body is not an object')]
  const without = withoutNulls(members)
  const failures = failuresOf(without, isValid)
  if (failures.length > 0) {
    const refusal = refused([400], 'a field is not as stated', heading)
    const isFree = failures.every((failure) => mayBeTaken(failure) || isMended(failure, without))
    return isFree ? [refusal, taken('not every reader enforces this bound or form')] : [refusal]
  }
  const undecided = undecidedIn(members, without)
  return [taken('the body is valid'), ...(undecided === null ? [] : [refused([400], undecided, heading)])]
}

/** True for a webhook that is not a URI, although a parser of URLs accepts it. */
function isMended({ keyword, instancePath }: ValidationFailure, { webhook }: Members): boolean {
  const isForm = instancePath === '/webhook' && keyword === 'format'
  return isForm && isWebAddress(String(webhook)) && URL.canParse(String(webhook))
}

/** Optional fields that are null can be taken as left out. */
function withoutNulls(members: Members): Members {
  const entries = Object.entries(members).map(([name, value]) => {
    const inner = name === 'policy' || name === 's3Config' ? membersOf(value) : null
    const given = Object.entries(inner ?? {}).filter(([, one]) => one !== null)
    return [name, inner === null ? value : Object.fromEntries(given)] as const
  })
  return Object.fromEntries(entries.filter(([name, value]) => name === 'input' || value !== null))
}

function undecidedIn(members: Members, without: Members): string | null {
  if (JSON.stringify(members) !== JSON.stringify(without)) return 'null for an optional field is not spoken of'
  const { webhook, policy, s3Config } = without
  if (typeof webhook === 'string' && !isWebAddress(webhook)) return 'the webhook is not an http(s) URL'
  const { executionTimeout, ttl } = membersOf(policy) ?? {}
  if (typeof executionTimeout === 'number' && executionTimeout > Number(ttl ?? tables.bounds.ttlMs.default)) {
    return 'ttl has to cover the execution'
  }
  if (s3Config !== undefined && !isWhole(membersOf(s3Config) ?? {})) return 'what identifies a bucket is not spoken of'
  const isUnknown = [
    unknownIn(members, 'JobSubmission'),
    unknownIn(membersOf(policy), 'JobPolicy'),
    unknownIn(membersOf(s3Config), 'S3Config'),
  ].some(Boolean)
  return isUnknown ? 'further fields are not spoken of' : null
}

/** True if every field of a bucket has a value, and its address is a web address. */
function isWhole(s3Config: Members): boolean {
  const { properties = {} } = schemaNamed('S3Config')
  return (
    Object.keys(properties).every((name) => typeof s3Config[name] === 'string' && s3Config[name] !== '') &&
    isWebAddress(String(s3Config.endpointUrl))
  )
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[\w.-]+/.test(text)
}

function unknownIn(members: Members | null, schema: string): boolean {
  const { properties = {} } = schemaNamed(schema)
  return Object.keys(members ?? {}).some((name) => !(name in properties))
}

function taken(reason: string): Allowed {
  return { answers: [200], reason, source: heading, after: { kind: 'made' } }
}
