import type { Target } from '../../target/types.ts'
import { toolPart, toolStyled } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, reads, timed } from './tools.ts'

/** A target file that says something else of its deployment tool. */
export const deployment = (change: Partial<NonNullable<Target['deploy']>>) => (target: Target) => ({
  ...target,
  deploy: target.deploy === null ? null : { ...target.deploy, ...change },
})

/** Freedoms of deployment tools. */
export const deploy: readonly Latitude[] = [
  latitude('tool-builds-zip', 'The tool builds a zip.', { tool: toolStyled({ format: 'zip' }) }),
  latitude('tool-merges-same-name', 'The tool makes one endpoint of configurations that have one name.', {
    tool: toolStyled({ sameName: 'merged' }),
    readings: reads('deploy.same-name', '1 endpoint', ['project']),
  }),
  latitude('tool-manifest-in-folder', 'The manifest of a package is in a folder.', {
    tool: toolStyled({ manifest: 'META/app.json' }),
    file: deployment({ manifest: 'META/app.json' }),
  }),
  latitude('tool-counts-gib', 'The largest package has 1.5 GiB.', {
    tool: (options) => ({ ...options, limitBytes: 1.5 * 2 ** 30 }),
  }),
  latitude('tool-packs-wheels', 'Dependencies are files of a package, named as wheels are.', {
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).map((file) => {
        const [, name, rest] = /^dependencies\/([^/]+)\/(.*)$/.exec(file.path) ?? []
        if (name === undefined) return file
        return { ...file, path: `wheels/${name.replace(/-/g, '_')}-1.0.0-${rest?.replace(/\W+/g, '_')}.whl` }
      }),
    ),
  }),
  latitude('tool-compiles-dependencies', 'The modules of dependencies are compiled.', {
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).map((file) => (/^dependencies\/.*\.py$/.test(file.path) ? { ...file, path: `${file.path}c` } : file)),
    ),
  }),
  latitude('tool-manifest-least', 'The manifest of a package holds the names of the endpoints alone.', {
    tool: toolPart('manifestOf', (_, { endpoints }) => ({ endpoints: endpoints.map(({ name }) => name) })),
  }),
  latitude('tool-one-template', 'The tool creates endpoints that execute jobs and serve routes, whatever their kind.', {
    tool: (options) => ({ ...options, template: options.serverTemplate }),
  }),
  latitude('peer-cached-by-worker', 'An endpoint forgets the addresses of its peers when its idle worker ends.', {
    tool: toolPart('isFresh', (_, ageMs) => ageMs < 60_000),
    verdicts: { 'deploy.peer-cache': 'inconclusive' },
  }),
  timed(
    'deployed-listed-later',
    'A deployed endpoint is listed five seconds after its creation.',
    { listLagMs: 5_000 },
    { about: 'the list' },
  ),
  timed(
    'deployed-reachable-later',
    'A deployed endpoint is reachable five seconds after its creation.',
    { endpointReachableMs: 5_000 },
    { about: 'unknown endpoints' },
  ),
]
