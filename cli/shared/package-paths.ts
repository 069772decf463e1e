import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { quote } from 'shell-quote'

/** `.ts` if this runs from its sources, `.js` if it was built. */
export const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** Folder that holds `cli/`, `suites/` and `generated/` as they are running: the package, or its `dist/`. */
export const home = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Folder of the package. */
export const packageFolder = existsSync(join(home, 'package.json')) ? home : dirname(home)

/**
 * The shell command of this program in the current folder. It names the file: npx would fetch what is not there, and the
 * package `plumbline` of the npm registry is somebody else's.
 */
export const program = `node ${quote([relative(process.cwd(), join(packageFolder, 'bin', 'plumbline.js'))])}`

/** Path of a running module of this package, named without its extension. */
export function moduleFile(name: string): string {
  return join(home, `${name}${extension}`)
}

/** The same as a URL, as `import()` takes it. */
export function moduleUrl(name: string): string {
  return pathToFileURL(moduleFile(name)).href
}

/** The version of this package. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  return version
}
