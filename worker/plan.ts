/** A step of a conformance job; each has one member. */
export type Step =
  | { readonly output: unknown }
  | { readonly emit: unknown }
  | { readonly bytes: number }
  | { readonly hold: string }
  | { readonly sleepMs: number }
  | { readonly fail: string }
  | { readonly exit: number }
  | { readonly first: readonly Step[] }
  | { readonly deaf: true }
  | { readonly report: readonly string[] }

/** The plan of a conformance job. */
interface Plan {
  /** Without a slash at the end; null if nobody listens. */
  readonly beacon: string | null
  readonly steps: readonly Step[]
}

/** The version of `input.plumbline` that is understood. */
const VERSION = 1
const HOLD_KEY = /^[A-Za-z0-9._-]+$/
const REPORTED = ['input', 'env', 'gpu', 's3Config']

/** The fault in the value of each step, or null. */
const CHECKS: { readonly [name: string]: (value: unknown) => boolean } = {
  output: () => true,
  emit: () => true,
  bytes: isCount,
  hold: (value) => typeof value === 'string' && HOLD_KEY.test(value),
  sleepMs: isCount,
  fail: (value) => typeof value === 'string',
  exit: (value) => Number.isSafeInteger(value),
  first: (value) => Array.isArray(value) && value.every(isStep),
  deaf: (value) => value === true,
  report: (value) => Array.isArray(value) && value.every((name) => REPORTED.includes(name)),
}

/**
 * Reads the `plumbline` member of an input, or of the body that an OpenAI route was called with; null if there is none, so that the input is echoed.
 * @throws PlanError if it is malformed, of another version or has an unknown step.
 */
export function readPlan(input: Readonly<Record<string, unknown>>): Plan | null {
  const holder = 'plumbline' in input ? input : input.openai_input
  if (!isObject(holder) || !('plumbline' in holder)) return null
  const plan = holder.plumbline
  if (!isObject(plan)) throw new PlanError('plumbline is not an object')
  const { v, beacon, steps, ...others } = plan
  if (v !== VERSION) throw new PlanError(`plumbline.v is ${JSON.stringify(v ?? null)}, expected ${VERSION}`)
  const [other] = Object.keys(others)
  if (other !== undefined) throw new PlanError(`plumbline.${other} is not known`)
  if (beacon !== undefined && !isAddress(beacon)) {
    throw new PlanError('plumbline.beacon is not a URL')
  }
  if (!Array.isArray(steps)) throw new PlanError('plumbline.steps is not a list')
  const wrong = steps.findIndex((step) => !isStep(step))
  if (wrong !== -1) throw new PlanError(`plumbline.steps[${wrong}] is not a known step`)
  return { beacon: beacon === undefined ? null : beacon.replace(/\/$/, ''), steps }
}

/** Why an input cannot be followed. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false
  const [name, ...others] = Object.keys(value)
  if (name === undefined || others.length > 0 || !Object.hasOwn(CHECKS, name)) return false
  return CHECKS[name]?.(value[name]) === true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
