import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../harness/rule/context.ts'
import type { Deployed, Project, ProjectFile, ProjectTree } from '../../harness/tool/types.ts'
import { isNamed } from '../shared/listing.ts'

type ProjectName = 'one-queue' | 'two-queues' | 'three-queues' | 'two-functions' | 'mixed' | 'same-name' | 'routes'

/** Additions to a project. */
export interface ProjectMore {
  /** Names of packages that it depends on. */
  readonly dependencies?: readonly string[]
  readonly exclude?: readonly string[]
  /** The endpoints as they are deployed, given those of the project. */
  readonly arranged?: (endpoints: Project['endpoints']) => Project['endpoints']
  /** Further files, by path. */
  readonly files?: ProjectTree['files']
}

/** Folder of the package: two above this file, or three in `dist/`. */
const root = ['../..', '../../..']
  .map((up) => join(import.meta.dirname, up))
  .find((folder) => existsSync(join(folder, 'suites/worker/handler.py')))

/** A project of `suites/deploy/projects/` with the conformance worker as its code, named after the run. */
export function projectOf({ nextName }: Context, of: ProjectName, more: ProjectMore = {}): ProjectTree {
  const { arranged = (endpoints) => endpoints, dependencies = [], exclude = [], files = {} } = more
  const text = readFileSync(join(root ?? '', 'suites/deploy/projects', of, 'project.json'), 'utf8')
  const named = JSON.parse(text.replaceAll('{name}', nextName())) as Project
  const project = { ...named, endpoints: arranged(named.endpoints) }
  const decoyFile = `def decoy(job):\n    return "${project.endpoints.find(isDecoy)?.name}"\n`
  return {
    project: { ...project, dependencies: dependencies.map((name) => ({ name, path: folderOf(name) })), exclude },
    files: {
      ...workerFiles(),
      'worker/decoy.py': decoyFile,
      ...Object.assign({}, ...dependencies.map(filesOf)),
      ...files,
    },
  }
}

/** The other function of a project: it returns the name of its endpoint, whatever the job. */
function isDecoy({ handler }: Project['endpoints'][number]): boolean {
  return handler === 'worker/decoy.py:decoy'
}

/** The output of a deployed endpoint of a project for a job whose plan returns `planned`. */
export function outputOf({ project }: ProjectTree, { name }: Deployed, planned: string): string {
  return project.endpoints.find((one) => isDecoy(one) && isNamed(name, one.name))?.name ?? planned
}

/** The folder of a package in a project. */
export function folderOf(dependency: string): string {
  return `packages/${dependency}`
}

/** The files of a small Python package. */
function filesOf(dependency: string): Record<string, ProjectFile> {
  const folder = folderOf(dependency)
  const module = dependency.replace(/[-.]/g, '_').toLowerCase()
  return {
    [`${folder}/pyproject.toml`]: `[project]\nname = "${dependency}"\nversion = "1.0.0"\n`,
    [`${folder}/${module}/__init__.py`]: `"""A package of a test project of Plumbline."""\n\nNAME = "${dependency}"\n`,
    [`${folder}/${module}/empty.py`]: '',
    [`${folder}/${module}/inner/__init__.py`]: `NAME = "${dependency}.inner"\n`,
  }
}

function workerFiles(): Record<string, string> {
  const folder = join(root ?? '', 'suites/worker')
  const modules = globSync('*.py', { cwd: folder }).filter((name) => !name.startsWith('test_'))
  return Object.fromEntries(modules.sort().map((name) => [`worker/${name}`, readFileSync(join(folder, name), 'utf8')]))
}
