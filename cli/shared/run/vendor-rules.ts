import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { rules as projectRows, type RuleRow } from '../../../generated/rules.ts'
import { allNeeds } from '../../../harness/claims/needs.ts'
import { allPlanes, isPlane } from '../../../harness/planes/index.ts'
import { allRules } from '../../../harness/rule/registry.ts'
import { addRows } from '../../../harness/run/rows.ts'
import { suggestion } from '../../../target-file/nearest.ts'
import { UsageError } from '../errors.ts'
import { moduleUrl } from '../package-paths.ts'
import { isFolder } from '../records/output-folders.ts'

/** The rules of a vendor, as a folder has them. */
export interface VendorRules {
  /** Ledger rows of its `.yaml` files. */
  readonly rows: readonly RuleRow[]
  /** Text of all its files, for the digests of a run. */
  readonly text: string
}

/** A run without rules of a vendor. */
export const noVendorRules: VendorRules = { rows: [], text: '' }

const loaded = new Map<string, Promise<VendorRules>>()

/**
 * Registers the rules of a folder: the rows of its `.yaml` files, and the functions and defects of its `.ts` and `.js` files.
 * A folder is loaded once in a process.
 * @throws UsageError if a row has no function, a function no row, or an id could be one of the project.
 */
export function loadRules(folder: string): Promise<VendorRules> {
  const known = loaded.get(folder) ?? load(folder)
  loaded.set(folder, known)
  return known
}

/** The rules that `--rules` names; none without it. */
export async function vendorRulesOf(name: string | undefined, cwd: string): Promise<VendorRules> {
  if (name === undefined) return noVendorRules
  const folder = resolve(cwd, name)
  if (name === '' || !isFolder(folder)) throw new UsageError(`--rules ${name}: no such folder; name one with rules`)
  return loadRules(folder)
}

async function load(folder: string): Promise<VendorRules> {
  // Loaded on demand: most commands need neither.
  await import(moduleUrl('suites/all'))
  const { readLedger } = await import('../../../packages/codegen/ledger.ts')
  const names = readdirSync(folder).sort()
  const sources = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => readSource(folder, name))
  const rows = read(() => readLedger(sources, null)) as unknown as RuleRow[]
  refuseForeign(rows)
  const modules = names.filter((name) => /\.[mc]?[jt]s$/.test(name) && !/\.(test|d)\.[mc]?[jt]s$/.test(name))
  resolvePackageHere()
  const before = new Set(allRules().map(({ id }) => id))
  for (const name of modules) {
    await import(pathToFileURL(join(folder, name)).href).catch((error: unknown) => {
      throw new UsageError(`${name} of ${folder} cannot be loaded: ${messageOf(error)}`, error)
    })
  }
  const functions: string[] = allRules().flatMap(({ id }) => (before.has(id) ? [] : [id]))
  refuse([
    ...(rows.length === 0 ? [`${folder} has no rules; write their rows into a .yaml file there`] : []),
    ...rows
      .filter(({ id }) => !functions.includes(id))
      .map(({ id }) => `rule ${id} has a row and no function; define it in a .ts or .js file of ${folder}`),
    ...functions
      .filter((id) => !rows.some((row) => row.id === id))
      .map((id) => `rule ${id} has a function and no row; add the row to a .yaml file of ${folder}`),
  ])
  addRows(rows)
  return { rows, text: [...sources, ...modules.map((name) => textOf(folder, name))].map(({ text }) => text).join('\n') }
}

/** Throws for a row whose id the project could have, or that needs something unknown. */
function refuseForeign(rows: readonly RuleRow[]): void {
  const taken = new Set([...projectRows.map(({ area }) => area), ...allPlanes().map(({ name }) => name)])
  const needs = Object.keys(allNeeds())
  refuse(
    rows.flatMap(({ id, area, needs: needed, parts }) => [
      ...(taken.has(area) ? [`rule ${id}: "${area}" begins ids of Plumbline; begin yours with another name`] : []),
      ...[...needed, ...parts]
        .filter((need) => !needs.includes(need) && !isPlane(need))
        .map((need) => `rule ${id}: unknown need "${need}"${suggestion(need, needs)}`),
    ]),
  )
}

function readSource(folder: string, name: string) {
  const source = textOf(folder, name)
  return { ...source, data: read(() => parse(source.text) as unknown, `${name} of ${folder} is not YAML: `) }
}

function textOf(folder: string, name: string) {
  return { path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }
}

function read<T>(work: () => T, where = ''): T {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`${where}${messageOf(error)}`, error)
  }
}

function messageOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return first
}

/** Throws the first fault. */
function refuse([fault]: readonly string[]): void {
  if (fault !== undefined) throw new UsageError(`--rules: ${fault}`)
}

/** The package that rules import is the one that runs: another copy would have a registry of its own. */
function resolvePackageHere(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'plumbline-conformance'
        ? { url: moduleUrl('library/index'), shortCircuit: true }
        : next(specifier, context),
  })
}
