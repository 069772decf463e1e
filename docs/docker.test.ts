import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Copy, DockerfileParser, type From, type Healthcheck } from 'dockerfile-ast'
import { expect, onTestFinished, test } from 'vitest'

// There may be no Docker here: the file is parsed, and what can run without it is run.

const root = join(import.meta.dirname, '..')
const instructions = DockerfileParser.parse(readFileSync(join(root, 'Dockerfile'), 'utf8')).getInstructions()
const named = <T>(keyword: string) => instructions.filter((one) => one.getKeyword() === keyword) as unknown as T[]

test('its stages name no architecture, and what is copied from a stage or the project is there', () => {
  const stages = named<From>('FROM')
  expect(stages.map((stage) => stage.getPlatformFlag())).toEqual(stages.map(() => null))
  const names = stages.map((stage) => stage.getBuildStage())
  for (const copy of named<Copy>('COPY')) {
    const from = copy.getFromFlag()?.getValue()
    const sources = copy.getArguments().slice(0, -1).map(String)
    if (from !== undefined) expect(names).toContain(from)
    else expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  }
})

test('it does not run as root', () => {
  expect(instructions.findLast((one) => one.getKeyword() === 'USER')?.getArgumentsContent()).toBe('1000:1000')
})

test('Go is the one that k6 asks for', () => {
  const [, version] = /^go (\d+\.\d+)/m.exec(readFileSync(join(root, 'load/k6/go.mod'), 'utf8')) ?? []
  expect(named<From>('FROM')[0]?.getImage()).toBe(`golang:${version}-bookworm`)
})

test('its health check notices whether serve answers', async () => {
  const [check] = named<Healthcheck>('HEALTHCHECK')
  const [program = '', ...args] = JSON.parse(
    /\[.*\]$/.exec(check?.getArgumentsContent() ?? '')?.[0] ?? '[]',
  ) as string[]
  expect(program).toBe('node')
  const server = spawn(process.execPath, [join(root, 'cli/main.ts'), 'serve', '--port', '0'])
  onTestFinished(() => void server.kill())
  const port = await new Promise<string>((found) =>
    server.stdout.on('data', (text) => {
      const [, number] = /127\.0\.0\.1:(\d+)/.exec(String(text)) ?? []
      if (number !== undefined) found(number)
    }),
  )
  const healthAt = (at: string) =>
    spawnSync(
      process.execPath,
      args.map((word) => word.replace(':8080/', `:${at}/`)),
    ).status
  expect(healthAt(port)).toBe(0)
  expect(healthAt('1')).toBe(1)
})
