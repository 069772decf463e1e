import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../../../generated/openapi.ts'
import { rules } from '../../../generated/rules.ts'
import { describeTarget } from '../../../harness/record/describe.ts'
import type { RunOptions } from '../../../harness/run/options.ts'
import type { Target } from '../../../target/types.ts'
import { extension, home } from '../package-paths.ts'
import { noVendorRules, type VendorRules } from '../run/vendor-rules.ts'

/**
 * SHA-256 of the inputs of a run: the running suites and the ledger, both with the rules of the vendor, the specification, the
 * target without its keys.
 */
export function digestsOf(target: Target | null, vendor: VendorRules = noVendorRules): RunOptions['digests'] {
  return {
    suite: sha256([
      ...suiteFiles().map((file) => `${file}\n${readFileSync(join(home, 'suites', file), 'utf8')}`),
      vendor.text,
    ]),
    ledger: sha256([JSON.stringify([...rules, ...vendor.rows])]),
    specification: sha256([JSON.stringify(openapi)]),
    target: sha256([target === null ? 'embedded' : JSON.stringify(describeTarget(target))]),
  }
}

/** The modules of the suites, sorted; their own tests left out. */
export function suiteFiles(): string[] {
  return readdirSync(join(home, 'suites'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension) && !file.endsWith(`.test${extension}`))
    .sort()
}

function sha256(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return `sha256:${hash.digest('hex')}`
}
