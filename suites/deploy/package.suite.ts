import { basename } from 'node:path'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { endText } from '../../harness/tool/end.ts'
import type { PackageSummary, ProjectTree } from '../../harness/tool/types.ts'
import { folderOf, type ProjectMore, projectOf } from './projects.ts'
import { build, countListed, deploy, holds, namesOf, readable, someOf, suffixOf, type ToolEnd } from './tool.ts'

/** Packages that the projects of the rules depend on. */
const extra = 'plumbline-extra'
const other = 'plumbline-other'
const third = 'plumbline-third'
/** Packages whose names contain that of another one. */
const [longer, prefixed] = [`${other}-more`, `my-${other}`]
/** Code whose name contains that of a dependency. */
const user = `use-${other}.py`

const leaf = `worker/plugins/${'folders_with_long_names/'.repeat(5)}leaf.py`

/**
 * Code that is easily lost: two empty files, one deep in folders whose path is too long for an old archive, one of the same name,
 * one with blanks in its name, one with letters that ASCII lacks, one of more than 64 KiB, which is often read in pieces.
 */
const unusual = {
  'worker/plugins/large.py': `${'# A line of a large module.\n'.repeat(2_500)}NAME = "large"\n`,
  'worker/plugins/__init__.py': '',
  'worker/plugins/more/__init__.py': '',
  'worker/plugins/more/leaf.py': 'NAME = "another leaf"\n',
  [leaf]: 'NAME = "leaf"\n',
  'worker/plugins/copy of leaf.py': 'NAME = "copy"\n',
  'worker/plugins/words.py': 'WORDS = ["naïve", "言葉", "\u{1f331}"]\n',
}

rule('deploy.manifest', async (context) => {
  const { check, inconclusive, part, target } = context
  const tree = projectOf(context, part('lb') ? 'mixed' : 'two-queues', { dependencies: [extra], files: unusual })
  const end = await build(context, tree)
  check('built').that(end.exit === 0, 'exit code 0', endText(end), end.response)
  const found = packageOf(context, end)
  const isHidden = isOpaque(found, tree)
  if (!isHidden) {
    expectCode(context, tree, end, found)
    check('dependencies').that(holds(found, extra), 'the dependency', 'no file of the dependency', end.response)
  }
  // A tool may pack a dependency as one file, such as a wheel.
  const dependency = shownIn(found, tree, `${folderOf(extra)}/`)
  const lost = dependency.shown === 0 ? [] : dependency.lost
  check('dependencies').that(lost.length === 0, 'every module of the dependency', lostText(lost), end.response)
  const path = target.deploy?.manifest ?? ''
  const manifest = found.texts[path]
  const expected = `a manifest at ${path}, the path that deploy.manifest names`
  check('manifest').that(manifest !== undefined, expected, 'no manifest', end.response)
  const unnamed = namesOf(tree).filter((name) => manifest?.includes(name) !== true)
  const observed = `${someOf(unnamed.map(suffixOf))} not named`
  check('names').that(unnamed.length === 0, 'a manifest that names every endpoint', observed, end.response)
  if (isHidden) inconclusive('the package holds code that is compiled or in an archive of its own, and none as text')
  // Finds a tool that packs the files of an earlier build.
  const changed = { ...tree, files: { ...tree.files, [leaf]: 'NAME = "changed"\n' } }
  const again = await build(context, changed)
  check('built').that(again.exit === 0, 'exit code 0', endText(again), again.response)
  expectCode(context, changed, again, packageOf(context, again))
})

/** True if a tool has compiled the code, or packed it as one file: then its files cannot be told apart. */
function isOpaque(found: PackageSummary, tree: ProjectTree): boolean {
  const isOther = (path: string) => opaque.test(path) && !holds({ ...found, paths: [path] }, extra)
  return shownIn(found, tree, 'worker/').shown === 0 && found.paths.some(isOther)
}

function expectCode({ check }: Context, tree: ProjectTree, end: ToolEnd, found: PackageSummary): void {
  const { lost } = shownIn(found, tree, 'worker/')
  check('code').that(lost.length === 0, 'every file of the code', lostText(lost), end.response)
}

function lostText(paths: readonly string[]): string {
  return `${someOf(paths)} missing or changed`
}

/** Paths of compiled code, and of archives. */
const opaque = /\.(pyc|pyo|so|whl|egg|pex|pyz|zip|tar|t?gz|squashfs)$/i

/** Python modules of a folder of a project: how many of their texts a package shows, and the paths of the others. */
function shownIn({ texts }: PackageSummary, { files }: ProjectTree, folder: string) {
  const nameAndText = ([path, text]: readonly [string, unknown]) => `${basename(path)} ${text}`
  const all = Map.groupBy(Object.entries(texts), nameAndText)
  const own = Object.entries(files).filter(([path]) => path.startsWith(folder) && path.endsWith('.py'))
  const lost = own.filter((file) => all.get(nameAndText(file))?.pop() === undefined).map(([path]) => path)
  return { shown: own.length - lost.length, lost }
}

rule('deploy.excludes', async (context) => {
  const { check, part, target } = context
  const base = part('deploy.preinstalled') ? target.deploy?.preinstalled : undefined
  const named = base == null ? [] : [base, `${base}-more`]
  const dependencies = [extra, other, third, longer, prefixed, ...named]
  const files = { [`worker/${user}`]: 'NAME = "user"\n' }
  const whole = await built(context, { dependencies, files })
  const less = await built(context, { dependencies, exclude: [other, third], files })
  const kept = (found: PackageSummary, names: readonly string[], { response }: ToolEnd) => {
    const lost = names.filter((name) => !holds(found, name))
    check('kept').that(lost.length === 0, 'every dependency', `no file of ${someOf(lost)}`, response)
    const hasCode = found.paths.some((path) => basename(path) === user)
    check('kept').that(hasCode, 'the code of the project', `no ${user}`, response)
  }
  const others = [extra, longer, prefixed, ...named.slice(1)]
  kept(whole.found, [...others, other, third], whole.end)
  kept(less.found, others, less.end)
  const packed = [other, third].filter((name) => holds(less.found, name))
  const observed = `files of ${someOf(packed)}`
  check('excluded').that(packed.length === 0, 'a package without what is excluded', observed, less.end.response)
  for (const { found, end } of base == null ? [] : [whole, less]) {
    check('base').that(!holds(found, base ?? ''), `a package without ${base}`, `files of ${base}`, end.response)
  }
})

/** Below and above the limit, in GB and in GiB. */
const [fits, tooLarge] = [1_400_000_000, 1_700_000_000]

rule('deploy.too-large', { creates: 2 }, async (context) => {
  const { check } = context
  const small = await build(context, projectOf(context, 'one-queue', filled('data.bin', fits)))
  check('accepted').that(small.exit === 0, 'exit code 0', endText(small), small.response)
  const { bytes = 0 } = small.package ?? {}
  check('accepted').that(bytes >= fits, 'a package as large as its content', 'less than its content', small.response)
  const tree = projectOf(context, 'one-queue', filled('data.bin', tooLarge))
  const large = await deploy(context, tree)
  check('refused').that(large.exit !== 0, 'an exit code other than 0', 'exit code 0', large.response)
  const said = `${large.stdout}${large.stderr}`.trim()
  check('message').that(said !== '', 'a message', 'no output', large.response)
  const { response, count } = await countListed(context, namesOf(tree), projectOf(context, 'one-queue'))
  check('not-created').that(count === 0, 'no endpoint of the refused project', pluralize(count, 'endpoint'), response)
})

rule('deploy.excluded-not-counted', async (context) => {
  const more = { dependencies: [other], exclude: [other], ...filled(`${folderOf(other)}/data.bin`, tooLarge) }
  const end = await build(context, projectOf(context, 'one-queue', more))
  context.check('accepted').that(end.exit === 0, 'exit code 0', endText(end), end.response)
  packageOf(context, end)
})

function filled(path: string, bytes: number): Pick<ProjectTree, 'files'> {
  return { files: { [path]: { bytes } } }
}

/**
 * A package that was built. If the tool refuses the project, the rule is blocked if it refuses a project with one dependency
 * as well; otherwise it fails.
 */
async function built(context: Context, more: ProjectMore): Promise<{ end: ToolEnd; found: PackageSummary }> {
  const { blocked, check } = context
  const end = await build(context, projectOf(context, 'one-queue', more))
  if (end.exit !== 0 || end.package === null) {
    const twin = await build(context, projectOf(context, 'two-queues', { dependencies: [extra] }))
    if (twin.exit !== 0) blocked('deploy.manifest', `build ended with ${endText(twin)}`)
    packageOf(context, twin)
    check('built').that(end.exit === 0, 'exit code 0', endText(end), end.response)
    check('built').that(false, 'a package', 'no package', end.response)
  }
  return { end, found: packageOf(context, end) }
}

function packageOf(context: Context, end: ToolEnd): PackageSummary {
  if (end.package == null) return context.inconclusive('build left no package at the path that it was given')
  return readable(context, end.package)
}
