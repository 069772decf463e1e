import type { Defect, Variant } from '../../proof/types.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { refuseInvalid } from '../shared/run/selection.ts'
import { findVariants, selectVariants, variantData, variantLines } from './variants.ts'

type Options = commands.OptionsOf<typeof commands.serve>

/** Defects and latitudes to serve, and lines about defects that hide each other. */
export interface Chosen {
  readonly variants: readonly Variant[]
  readonly notes: readonly string[]
}

/**
 * The variants that the flags name, in an order in which each defect works if it can.
 * @throws UsageError for an unknown name, and for defects that exclude each other.
 */
export async function chooseVariants({ defect, latitude }: Options): Promise<Chosen> {
  if (defect.length === 0 && latitude.length === 0) return { variants: [], notes: [] }
  const { proven, ofLoad, latitudes } = await catalog()
  const known: readonly Variant[] = [...proven, ...ofLoad]
  const named = [...new Set(findVariants('--defect', defect, known))]
  const loaded = named.filter((one) => ofLoad.some((each) => each === one))
  if (loaded.length > 1) exclude(loaded, 'a load finds one of them at a time')
  const { order, notes } = await arranged(proven.filter((one) => named.includes(one)).toSorted(inOrderOf(named)))
  return { variants: [...order, ...loaded, ...findVariants('--latitude', latitude, latitudes)], notes }
}

async function arranged(defects: readonly Defect[]): Promise<{ order: readonly Defect[]; notes: string[] }> {
  if (defects.length < 2) return { order: defects, notes: [] }
  const { arrange } = await import('../../proof/beside.ts')
  const { order, hidden, rivals } = await arrange(defects)
  if (rivals.length > 0) exclude(rivals, 'the one that is laid over the other hides it')
  const notes = hidden.map(({ id, rule }) => `beside the others, ${rule} does not find ${id}`)
  return { order, notes }
}

function exclude(variants: readonly Variant[], why: string): never {
  const ids = variants.map(({ id }) => id).join(' and ')
  throw new UsageError(`--defect: ${ids} exclude each other, because ${why}; serve one of them`)
}

function inOrderOf(named: readonly Variant[]): (a: Variant, b: Variant) => number {
  return (a, b) => named.indexOf(a) - named.indexOf(b)
}

/** The lines of `--list`. */
export async function listVariants({ json, only }: Options): Promise<string[]> {
  for (const pattern of only) refuseInvalid(pattern)
  const { proven, ofLoad, latitudes } = await catalog()
  const chosen = selectVariants(only, [...proven, ...ofLoad], latitudes)
  return json ? [JSON.stringify(variantData(chosen), null, 2)] : variantLines(chosen)
}

/** Loaded on demand: it imports the whole proof. */
async function catalog() {
  const { defects: proven, latitudes } = await import('../../proof/catalog.ts')
  const { loadDefects } = await import('../../load/defects.ts')
  const { measuredDefects } = await import('../../load/mixed/defects.ts')
  return { proven, ofLoad: [...loadDefects, ...measuredDefects], latitudes }
}
