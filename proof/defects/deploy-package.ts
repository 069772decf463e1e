import type { Project } from '../../reference/deploy/options.ts'
import type { Defect } from '../types.ts'
import { defect, toolPart, toolRefuses, toolStyled } from './tools.ts'

type ToolChange = NonNullable<Defect['tool']>

const limit =
  (limitBytes: number): ToolChange =>
  (options) => ({ ...options, limitBytes })

/** Dependencies that a tool may leave out although the project does not exclude them. */
const lostDependencies: readonly (readonly [
  id: string,
  what: string,
  isLost: (name: string, project: Project) => boolean,
  lost: string,
])[] = [
  [
    'exclude-leaves-out-all',
    'every dependency if the project excludes one',
    (_, { exclude }) => exclude.length > 0,
    'plumbline-extra, plumbline-other-more, my-plumbline-other, and 1 more',
  ],
  [
    'exclude-by-prefix',
    'dependencies whose names begin with an excluded one',
    (name, { exclude }) => exclude.some((one) => name.startsWith(one)),
    'plumbline-other-more',
  ],
  [
    'exclude-by-suffix',
    'dependencies whose names end with an excluded one',
    (name, { exclude }) => exclude.some((one) => name.endsWith(one)),
    'my-plumbline-other',
  ],
  [
    'base-by-prefix',
    'dependencies whose names begin with a package of the base image',
    (name) => name.startsWith('plumbline-base'),
    'plumbline-base-more',
  ],
]

const plugins = 'worker/plugins'
const leaf = `${plugins}/${'folders_with_long_names/'.repeat(5)}leaf.py`

/** Files of the code that a tool may lose, and those of the project that it then loses. */
const lostFiles: readonly (readonly [
  name: string,
  what: string,
  isLost: (file: { path: string; bytes: number }) => boolean,
  lost: string,
])[] = [
  ['a-module', 'a module of the code', ({ path }) => path.endsWith('/beacon.py'), 'worker/beacon.py'],
  [
    'blanks',
    'the files that have blanks in their names',
    ({ path }) => path.includes(' '),
    `${plugins}/copy of leaf.py`,
  ],
  ['deep-files', 'the files below four folders', ({ path }) => path.split('/').length > 5, leaf],
  ['long-paths', 'the files whose paths have more than 100 characters', ({ path }) => path.length > 100, leaf],
  [
    'empty-files',
    'the empty files of the code',
    ({ bytes }) => bytes === 0,
    `${plugins}/__init__.py, ${plugins}/more/__init__.py`,
  ],
  [
    'equal-files',
    'the second of two equal files',
    ({ path }) => path.endsWith('/more/__init__.py'),
    `${plugins}/more/__init__.py`,
  ],
  [
    'equal-names',
    'the second of two files of one name',
    ({ path }) => path.endsWith('/more/leaf.py'),
    `${plugins}/more/leaf.py`,
  ],
  ['large-files', 'the files of more than 64 KiB', ({ bytes }) => bytes > 65_536, `${plugins}/large.py`],
]

/** Files of a dependency that a tool may lose. */
const lostModules: readonly (readonly [string, string, (path: string, bytes: number) => boolean, lost: string])[] = [
  ['empty-modules', 'the empty modules of a dependency', (_, bytes) => bytes === 0, 'empty.py'],
  ['inner-modules', 'the packages in a dependency', (path) => path.includes('/inner/'), 'inner/__init__.py'],
]

/** Files of the code that a tool may pack with another content. */
const changedFiles: readonly (readonly [string, string, path: string, (content: Buffer) => Buffer])[] = [
  ['cut-files', 'the first 64 KiB of a file alone', `${plugins}/large.py`, (content) => content.subarray(0, 65_536)],
  [
    'ascii-alone',
    'a mark for each letter that ASCII lacks',
    `${plugins}/words.py`,
    (content) => Buffer.from(ascii(`${content}`)),
  ],
  ['old-files', 'a file as it was packed first', leaf, () => Buffer.from('NAME = "leaf"\n')],
]

function ascii(text: string): string {
  return text.replace(/\P{ASCII}/gu, '?')
}

/** Defects of the packages that the deployment tool builds. */
export const deployPackage: readonly Defect[] = [
  defect('build-fails', 'deploy.manifest', 'built', {
    says: 'The tool fails to build the package of a valid project.',
    observed: 'exit code 1: internal error',
    tool: toolPart('admit', toolRefuses),
  }),
  ...lostFiles.map(([name, what, isLost, lost]) =>
    defect(`package-without-${name}`, 'deploy.manifest', 'code', {
      says: `A package lacks ${what}.`,
      observed: `${lost} missing or changed`,
      tool: toolPart('filesOf', (next, tree) => next(tree).filter((file) => !isLost(file))),
    }),
  ),
  defect('package-without-dependencies', 'deploy.manifest', 'dependencies', {
    says: 'A package holds no dependency.',
    observed: 'no file of the dependency',
    tool: toolPart('leavesOut', () => true),
  }),
  ...lostModules.map(([name, what, isLost, lost]) =>
    defect(`package-without-${name}`, 'deploy.manifest', 'dependencies', {
      says: `A package lacks ${what}.`,
      observed: `packages/plumbline-extra/plumbline_extra/${lost} missing or changed`,
      tool: toolPart('filesOf', (next, tree) =>
        next(tree).filter(({ path, bytes }) => !(path.startsWith('dependencies/') && isLost(path, bytes))),
      ),
    }),
  ),
  ...changedFiles.map(([name, what, path, changed]) =>
    defect(`package-with-${name}`, 'deploy.manifest', 'code', {
      says: `A package holds ${what}.`,
      observed: `${path} missing or changed`,
      tool: toolPart('filesOf', (next, tree) =>
        next(tree).map((file) => {
          if (!file.path.endsWith(path)) return file
          const content = changed(Buffer.concat([...(file.read() as Iterable<Uint8Array>)]))
          return { ...file, bytes: content.length, read: () => [content] }
        }),
      ),
    }),
  ),
  defect('package-without-manifest', 'deploy.manifest', 'manifest', {
    says: 'A package has no manifest.json.',
    observed: 'no manifest',
    tool: toolStyled({ manifest: 'notes.txt' }),
  }),
  defect('manifest-first-endpoint-only', 'deploy.manifest', 'names', {
    says: 'The manifest names the first endpoint alone.',
    observed: '…-web, …-two not named',
    tool: toolPart('manifestOf', (next, project) => next({ ...project, endpoints: project.endpoints.slice(0, 1) })),
  }),
  defect('manifest-queues-only', 'deploy.manifest', 'names', {
    says: 'The manifest does not name load-balanced endpoints.',
    observed: '…-web not named',
    tool: toolPart('manifestOf', (next, project) =>
      next({ ...project, endpoints: project.endpoints.filter(({ type }) => type === 'queue') }),
    ),
  }),
  defect('limit-1-gb', 'deploy.too-large', 'accepted', {
    says: 'The tool refuses packages above 1 GB.',
    observed: 'exit code 1: the package is larger than 1 GB; leave dependencies out with "exclude" in project.json',
    tool: limit(1_000_000_000),
  }),
  defect('package-cut', 'deploy.too-large', 'accepted', {
    says: 'The tool packs the first GB of a file alone.',
    observed: 'less than its content',
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).map((file) => ({ ...file, bytes: Math.min(file.bytes, 1e9) })),
    ),
  }),
  defect('limit-2-gb', 'deploy.too-large', 'refused', {
    says: 'The tool accepts packages up to 2 GB.',
    observed: 'exit code 0',
    tool: limit(2_000_000_000),
  }),
  defect('limit-without-message', 'deploy.too-large', 'message', {
    says: 'The tool refuses a package without a message.',
    observed: 'no output',
    tool: toolPart('says', () => ''),
  }),
  defect('limit-after-creation', 'deploy.too-large', 'not-created', {
    says: 'The tool refuses a package after it has created its endpoint.',
    observed: '1 endpoint',
    tool: toolStyled({ packs: 'last' }),
  }),
  ...lostDependencies.map(([id, what, isLost, lost]) =>
    defect(id, 'deploy.excludes', 'kept', {
      says: `The tool leaves out ${what}.`,
      observed: `no file of ${lost}`,
      tool: toolPart('leavesOut', (next, name, project) => isLost(name, project) || next(name, project)),
    }),
  ),
  defect('exclude-code', 'deploy.excludes', 'kept', {
    says: 'The tool leaves out code whose name contains that of an excluded dependency.',
    observed: 'no use-plumbline-other.py',
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).filter(
        ({ path }) => !/^worker\//.test(path) || !tree.project.exclude.some((one) => path.includes(one)),
      ),
    ),
  }),
  defect('exclude-first-only', 'deploy.excludes', 'excluded', {
    says: 'The tool leaves out the first excluded dependency alone.',
    observed: 'files of plumbline-third',
    tool: toolPart('leavesOut', (next, name, project) =>
      next(name, { ...project, exclude: project.exclude.slice(0, 1) }),
    ),
  }),
  defect('exclude-ignored', 'deploy.excludes', 'excluded', {
    says: 'The tool packs dependencies that the project excludes.',
    observed: 'files of plumbline-other, plumbline-third',
    tool: toolPart('leavesOut', (next, name, project) => next(name, { ...project, exclude: [] })),
  }),
  defect('base-packages-packed', 'deploy.excludes', 'base', {
    says: 'The tool packs dependencies that the base image has.',
    observed: 'files of plumbline-base',
    tool: (options) => ({ ...options, basePackages: [] }),
  }),
  defect('excluded-counted', 'deploy.excluded-not-counted', 'accepted', {
    says: 'Excluded dependencies count for the size of a package.',
    observed: 'exit code 1: internal error',
    tool: toolPart('admit', (_, { files }) => {
      if (files.reduce((sum, { bytes }) => sum + bytes, 0) > 1_500_000_000) toolRefuses()
    }),
  }),
]
