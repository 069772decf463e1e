import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { quote } from 'shell-quote'

/** `.ts` if this runs from its sources, `.js` if it was built. */
export const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** Folder that holds `cli/`, `suites/` and `generated/` as they are running: the package, or its `dist/`. */
export const home = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Folder of the package. */
export const packageFolder = existsSync(join(home, 'package.json')) ? home : dirname(home)

/**
 * The shell command of this program: `plumbline` if the shell finds this very program by that name, else its file relative to
 * the current folder. Never npx, which would fetch what is not there: the package `plumbline` of the npm registry is somebody
 * else's.
 */
export const program = programIn(process.env)

/** The command for a shell with this environment. */
export function programIn({ PATH = '', npm_command: npm }: NodeJS.ProcessEnv): string {
  const file = join(packageFolder, 'bin', 'plumbline.js')
  // npm adds folders to PATH that the shell of the user does not have.
  const folders = npm === undefined ? PATH.split(delimiter).filter((folder) => folder !== '') : []
  const found = folders.map((folder) => join(folder, 'plumbline')).find((one) => existsSync(one))
  if (found !== undefined && realpathSync(found) === realpathSync(file)) return 'plumbline'
  return `node ${quote([relative(process.cwd(), file)])}`
}

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
