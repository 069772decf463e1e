import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const text = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
const { on, permissions, jobs } = parse(text) as Workflow
const { steps, permissions: granted } = jobs.publish
const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

interface Workflow {
  readonly on: unknown
  readonly permissions: unknown
  readonly jobs: {
    readonly publish: {
      readonly permissions: unknown
      readonly steps: readonly { readonly name: string; readonly uses?: string; readonly run?: string }[]
    }
  }
}

interface Manifest {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
}

describe('the release workflow', () => {
  it('runs for tags of versions alone, and may do nothing but sign', () => {
    expect({ on, permissions, granted }).toEqual({
      on: { push: { tags: ['v*'] } },
      permissions: {},
      granted: { contents: 'read', 'id-token': 'write' },
    })
  })

  it('tests what it publishes, with provenance', () => {
    expect(commands.slice(1)).toEqual(['npm ci', 'npm test', 'npm publish --provenance --access public'])
    expect(Object.keys(scripts)).toContain('test')
  })

  it('pins each action to a commit and names its version', () => {
    const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action)
    expect(actions).toHaveLength(2)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each([
    [`v${version}`, 0],
    ['v999.0.0', 1],
  ])('with the tag %s, the check of the version exits with %i', (tag, status) => {
    const env = { ...process.env, GITHUB_REF_NAME: tag }
    expect(spawnSync('bash', ['-ec', commands[0] ?? ''], { cwd: root, env }).status).toBe(status)
  })
})
