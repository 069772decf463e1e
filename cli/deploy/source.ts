import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type Project, type SourceTree, ToolRefusal } from '../../reference/deploy/index.ts'

const projectFile = 'project.json'

/** A project of a folder. Throws ToolRefusal if it has no valid `project.json`. */
export function readSource(folder: string): SourceTree {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(folder, file).split(sep).join('/') }))
    .filter(({ path }) => path !== projectFile)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    project: readProject(join(folder, projectFile)),
    files: files.map(({ file, path }) => ({ path, bytes: statSync(file).size, read: () => createReadStream(file) })),
  }
}

function readProject(file: string): Project {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Project> | null
    const { name, endpoints, dependencies = [], exclude = [] } = value ?? {}
    if (typeof name === 'string' && Array.isArray(endpoints)) return { name, endpoints, dependencies, exclude }
  } catch (error) {
    throw new ToolRefusal(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new ToolRefusal(`${file} needs a name and a list of endpoints`)
}
