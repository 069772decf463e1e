import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateApi, generateOpenapi, generateTargetFile } from './api.ts'
import type { Output } from './header.ts'
import { type Inputs, readInputs } from './inputs.ts'
import { readLedger } from './ledger.ts'
import { generateOpenapi30 } from './openapi30.ts'
import { generateOperations } from './operations.ts'
import { generateRules } from './rules.ts'
import { generateTables } from './tables.ts'
import { generateTarget, generateValidators } from './validators.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Everything that belongs into generated/, from spec/ below `root`. Throws one sentence if spec/ is wrong. */
export async function generateAll(root: string = ROOT): Promise<readonly Output[]> {
  const inputs = await readInputs(root)
  return [
    await generateApi(inputs),
    generateOpenapi(inputs),
    generateOpenapi30(inputs),
    generateOperations(inputs),
    generateRules(inputs),
    generateTables(inputs),
    generateTarget(inputs),
    await generateTargetFile(inputs),
    generateValidators(inputs),
  ]
}

/** Names of files in `folder` that differ from `outputs`, are missing there, or are none of them. */
export function staleFiles(outputs: readonly Output[], folder: string): readonly string[] {
  const present = existsSync(folder) ? readdirSync(folder) : []
  const names = new Set(outputs.map(({ name }) => name))
  const differing = outputs.filter(({ name, text }) => {
    return !present.includes(name) || readFileSync(join(folder, name), 'utf8') !== text
  })
  return [...differing.map(({ name }) => name), ...present.filter((name) => !names.has(name))].sort()
}

/** Adds the ids of new rows to the list of every id that there ever was, which loses none. */
function writeIds({ rules, headings }: Inputs): void {
  const file = join(ROOT, 'spec/rules/ids.txt')
  const known = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const ids = new Set([...known, ...readLedger(rules, headings).map(({ id }) => id)])
  writeFileSync(file, `${[...ids].sort().join('\n')}\n`)
}

async function main(argv: readonly string[]): Promise<number> {
  const unknown = argv.find((argument) => argument !== '--check')
  if (unknown) return fail(`Unknown argument "${unknown}"; the only one is --check.`)
  const folder = join(ROOT, 'generated')
  const outputs = await generateAll()
  const stale = staleFiles(outputs, folder)
  if (argv.includes('--check')) {
    return stale.length === 0 ? 0 : fail(`Stale in generated/: ${stale.join(', ')}. Run npm run generate.`)
  }
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of outputs) writeFileSync(join(folder, name), text)
  writeIds(await readInputs(ROOT))
  const strangers = stale.filter((name) => !outputs.some((output) => output.name === name))
  return strangers.length === 0
    ? 0
    : fail(`generated/ holds what nobody generates: ${strangers.join(', ')}. Delete it.`)
}

function fail(sentence: string): number {
  process.stderr.write(`${sentence}\n`)
  return 1
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
    return fail(error instanceof Error ? error.message : String(error))
  })
}
