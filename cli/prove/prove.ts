import { writeFileSync } from 'node:fs'
import { firstFew } from '../../harness/common/first-few.ts'
import { matcherOf } from '../../harness/common/pattern.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { countDraws, type DrawsResult } from '../../proof/draw-counts.ts'
import { catalogFaults } from '../../proof/gates.ts'
import { withVendor } from '../../proof/jobs.ts'
import type { ProofProgress } from '../../proof/judged.ts'
import { type MalformedResult, tryMalformedResponses } from '../../proof/malformed/malformed.ts'
import { NothingMatches } from '../../proof/plan.ts'
import { prove as run } from '../../proof/prove.ts'
import { type MatrixRow, missedSentence, type ProofResult, proofFaults, type Undecided } from '../../proof/result.ts'
import { proveSeeds, type SeedsResult } from '../../proof/seeds.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { moduleUrl } from '../shared/package-paths.ts'
import { writableFile } from '../shared/records/output-folders.ts'
import { redraw } from '../shared/run/progress.ts'
import { refuseInvalid } from '../shared/run/selection.ts'
import { type VendorRules, vendorRulesOf } from '../shared/run/vendor-rules.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.prove>

/** Proves that every rule can fail and that none fails wrongly. Returns 0 if all of it holds, else 1. */
export async function prove(options: Options, terminal: Terminal): Promise<number> {
  refuseContradictions(options)
  for (const pattern of options.only) refuseInvalid(pattern)
  const vendor = await vendorRulesOf(options.rules, terminal.cwd)
  const json = options.json === undefined ? null : writableFile(terminal.cwd, '--json', options.json)
  let line = ''
  const display = terminal.live && !options.quiet ? redraw(() => line) : null
  const onProgress = ({ done, total, what }: ProofProgress) => {
    line = `${done} of ${pluralize(total, 'instance')}, last ${what}`
  }
  const proving = vendor.rows.length > 0 ? proofOfVendor(vendor, options, onProgress) : proofOf(options, onProgress)
  const { result, lines, holds } = await proving.finally(() => display?.end())
  if (json !== null) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`)
  for (const line of lines) terminal.out(line)
  return holds ? exitCodes.conformant : exitCodes['not conformant']
}

/** A defect is a cliff if it leaves more rules than this without a verdict. */
const maxUndecided = 5

/** A defect is told of if more rules of other subjects than this fail on it. */
const maxUnrelated = 2

/** Ids that a line lists. */
const idsListed = 5

/** The result of what the flags ask for, its lines, and whether all of it holds. */
async function proofOf(options: Options, onProgress: (progress: ProofProgress) => void) {
  const { only, matrix, malformed, served, sample, seed, seeds, draws, quiet } = options
  try {
    if (malformed) {
      const draw = { ...(sample !== undefined && { sample }), ...(seed !== undefined && { seed }) }
      const result = await tryMalformedResponses({ onProgress, ...draw })
      return { result, lines: malformedLines(result, quiet), holds: result.broken.length === 0 }
    }
    if (draws !== undefined) {
      const result = await countDraws(draws, onProgress)
      return { result, lines: drawsLines(result, quiet), holds: isDrawnAll(result) }
    }
    if (seeds !== undefined) {
      const result = await proveSeeds(seeds, only, onProgress)
      return { result, lines: seedLines(result), holds: result.changed.length === 0 }
    }
    const result = await run({
      matrix,
      onProgress,
      only,
      ...(served && { through: moduleUrl('cli/serve/connect') }),
      ...(sample !== undefined && { sample: { count: sample, seed: seed ?? 1 } }),
    })
    return { result, lines: proofLines(result), holds: result.proven }
  } catch (error) {
    throw error instanceof NothingMatches ? new UsageError(error.message) : error
  }
}

/** The same for the rules of a vendor, or those of them that `only` takes. */
async function proofOfVendor(
  { rows }: VendorRules,
  { only, matrix }: Options,
  onProgress: (progress: ProofProgress) => void,
) {
  const ids = rows.map(({ id }) => id)
  const catalog = withVendor((rule) => ids.includes(rule))
  const faults = catalogFaults(catalog)
  if (faults.length > 0) {
    return { result: { faults }, lines: [...faults, `not proven (${pluralize(faults.length, 'fault')})`], holds: false }
  }
  const chosen = only.length === 0 ? ids : ids.filter((id) => only.some((pattern) => matcherOf(pattern)(id)))
  if (chosen.length === 0) throw new UsageError(`--only: no rule of --rules matches ${only.join(' or ')}`)
  const result = await run({ only: chosen, matrix, onProgress, catalog })
  return { result, lines: proofLines(result), holds: result.proven }
}

/** The lines of a proof: the matrix if requested, then errors, then the summary. */
export function proofLines(result: ProofResult): string[] {
  const { defects, latitudes, matrix, proven } = result
  const found = defects.filter(({ killed }) => killed)
  const alike = latitudes.filter(({ failed }) => failed.length === 0)
  const faults = proofFaults(result)
  return [
    ...(matrix ?? []).flatMap(matrixLines),
    ...cliffLines(matrix ?? []),
    ...attributionLines(matrix ?? []),
    ...faults,
    ...drawnLines(defects),
    `${proven ? 'proven' : `not proven (${pluralize(faults.length, 'fault')})`}: ` +
      `${found.length} of ${pluralize(defects.length, 'defect')} found, ` +
      `${alike.length} of ${pluralize(latitudes.length, 'latitude')} judged as expected`,
  ]
}

/** The seeds that find the defects that only some values show, with those that the first seed does not find. */
function drawnLines(defects: ProofResult['defects']): string[] {
  const bySeed = Map.groupBy(
    defects.filter(({ seed }) => typeof seed === 'number'),
    ({ seed }) => seed,
  )
  return [...bySeed]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([seed, found]) =>
      seed === 1
        ? `seed 1 draws the values that show ${pluralize(found.length, 'defect')}`
        : `seed ${seed} draws those of ${found.length} more: ${listed(found.map(({ id }) => id))}`,
    )
}

function listed(ids: readonly string[]): string {
  return firstFew(ids, idsListed, ' (--json FILE has all)')
}

/** The effect of one defect on all rules. */
function matrixLines({ id, failed, blocked, inconclusive }: MatrixRow): string[] {
  const rulesOf = (undecided: readonly Undecided[]) => undecided.map(({ rule }) => rule).join(', ')
  return [
    `on ${id} these fail: ${failed.join(', ') || 'none'}`,
    ...(blocked.length === 0 ? [] : [`  blocked: ${rulesOf(blocked)}`]),
    ...(inconclusive.length === 0 ? [] : [`  inconclusive: ${rulesOf(inconclusive)}`]),
  ]
}

/** Defects that leave many rules without a verdict, the worst first, each with its most common reason. */
function cliffLines(matrix: readonly MatrixRow[]): string[] {
  return matrix
    .map(({ id, blocked, inconclusive }) => ({ id, undecided: [...blocked, ...inconclusive] }))
    .filter(({ undecided }) => undecided.length > maxUndecided)
    .toSorted((a, b) => b.undecided.length - a.undecided.length)
    .map(({ id, undecided }) => {
      const reasons = [...Map.groupBy(undecided, ({ reason }) => reason)]
      const [most] = reasons.toSorted(([, a], [, b]) => b.length - a.length)
      return `${id} leaves ${undecided.length} rules without a verdict: ${most?.[0]}`
    })
}

/** Defects that rules of other subjects find: first those that their own rule does not, then those with the most such rules. */
function attributionLines(matrix: readonly MatrixRow[]): string[] {
  return matrix
    .filter(({ isMisattributed, unrelated }) => isMisattributed || unrelated.length > maxUnrelated)
    .toSorted(
      (a, b) => Number(b.isMisattributed) - Number(a.isMisattributed) || b.unrelated.length - a.unrelated.length,
    )
    .map(({ id, isMisattributed, rule, unrelated }) =>
      isMisattributed
        ? `${id} is found by ${listed(unrelated)}, but not by its rule ${rule}`
        : `${id} fails ${unrelated.length} rules of other subjects than ${rule}: ${listed(unrelated)}`,
    )
}

/** The lines of a proof with several seeds: changes by a seed, then the summary. */
export function seedLines({ seeds, latitudes, changed }: SeedsResult): string[] {
  return [
    ...changed.map(
      ({ seed, on, rule, expected, seen, reason }) =>
        `with seed ${seed} on ${on}, ${rule} should be ${expected} and is ${seen}${reason === null ? '' : ` (${reason})`}`,
    ),
    `${changed.length === 0 ? 'the same verdicts' : pluralize(changed.length, 'change')} ` +
      `with ${pluralize(seeds, 'seed')} on the reference and ${pluralize(latitudes, 'latitude')}`,
  ]
}

/** Does every seed draw all values in each area, and some seed those of each defect? */
function isDrawnAll({ missed, chances }: DrawsResult): boolean {
  return missed.length === 0 && chances.every(({ drawnBy }) => drawnBy > 0)
}

/** The lines about what seeds draw: missed values, how often the values of the rarest defects are drawn, then the summary. */
export function drawsLines(result: DrawsResult, quiet: boolean): string[] {
  const { seeds, missed, chances } = result
  const rarest = [...Map.groupBy(chances, ({ drawnBy }) => drawnBy)].slice(0, idsListed)
  return [
    ...missed.map(missedSentence),
    ...(quiet ? [] : rarest).map(
      ([drawnBy, same]) =>
        `${drawnBy} of ${pluralize(seeds, 'seed')}: the values that show ${listed(same.map(({ defect }) => defect))}`,
    ),
    `${missed.length === 0 ? 'each seed draws every value in each area' : pluralize(missed.length, 'gap')} with ` +
      `${pluralize(seeds, 'seed')}; the values of ${chances.filter(({ drawnBy }) => drawnBy > 0).length} of ` +
      `${pluralize(chances.length, 'defect')} that need certain ones are drawn`,
  ]
}

/** The lines of a run over malformed responses: rules that crashed, changes that no rule noticed, then the summary. */
function malformedLines({ cases, tried, broken, unnoticed }: MalformedResult, quiet: boolean): string[] {
  return [
    ...broken.map(({ malformed, rule, reason }) => `${rule} crashes on ${malformed}: ${reason}`),
    ...(quiet ? [] : unnoticed.map((malformed) => `no rule notices ${malformed}`)),
    `${broken.length === 0 ? 'no rule crashes' : broken.length === 1 ? '1 crash' : `${broken.length} crashes`}: ${tried.length} of ${pluralize(cases, 'malformed response')} tried, ` +
      `${unnoticed.length} of them noticed by no rule`,
  ]
}

function refuseContradictions({ malformed, only, matrix, served, sample, seed, seeds, draws, rules }: Options): void {
  if (rules !== undefined && (malformed || served || seeds !== undefined || draws !== undefined))
    throw new UsageError('--rules cannot be combined with --malformed, --served, --seeds or --draws')
  if (draws !== undefined && (malformed || matrix || served || seeds !== undefined || only.length > 0))
    throw new UsageError('--draws cannot be combined with --malformed, --matrix, --served, --seeds or --only')
  if (seeds !== undefined && (malformed || matrix || served))
    throw new UsageError('--seeds cannot be combined with --malformed, --matrix or --served')
  if (malformed && (only.length > 0 || matrix || served))
    throw new UsageError('--malformed cannot be combined with --only, --matrix or --served')
  if (served && matrix) throw new UsageError('--served cannot be combined with --matrix')
  if (!malformed && !served && (sample !== undefined || seed !== undefined))
    throw new UsageError('--sample and --seed need --malformed or --served')
  if (served && sample !== undefined && only.length > 0) throw new UsageError('--sample cannot be combined with --only')
}
