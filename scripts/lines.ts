// Prints the lines of source by room, without comments and blank lines: of code and of tests. Then the median length of
// a function, and every file above 300 lines. Generated files are left out.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Counted {
  readonly room: string
  readonly file: string
  readonly isTest: boolean
  /** Lines with code. */
  readonly lines: number
  /** Lines with code of each function. */
  readonly functions: readonly number[]
}

/** Files that are longer than this are listed. */
const longFile = 300

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js'], { encoding: 'utf8' }).trim().split('\n')
const counted = files.filter((file) => file.includes('/') && !file.startsWith('generated/')).map(count)

function count(file: string): Counted {
  const source = readFileSync(file, 'utf8')
  const { comments, program } = parseSync(file, source)
  const code = comments.reduce((text, { start, end }) => blank(text, start, end), source)
  const functions = functionsIn(program as unknown as Node).map(({ start, end }) => linesOf(code.slice(start, end)))
  const [room = ''] = file.split('/')
  const isTest = /\.test\.ts$|\/testing\//.test(file)
  return { room, file, isTest, lines: linesOf(code), functions }
}

/** The text with a range emptied, line breaks aside. */
function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end)
}

function linesOf(code: string): number {
  return code.split('\n').filter((line) => line.trim() !== '').length
}

/** Functions with a body of statements, at any depth. */
function functionsIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(functionsIn)
  const { type = '', body } = value as { type?: string; body?: { type?: string } | null }
  return /Function/.test(type) && body?.type === 'BlockStatement' ? [value as Node, ...inside] : inside
}

function sum(all: readonly Counted[]): number {
  return all.reduce((total, { lines }) => total + lines, 0)
}

const rooms = Map.groupBy(counted, ({ room }) => room)
const row = (name: string, all: readonly Counted[]) => {
  const [code = [], tests = []] = [false, true].map((isTest) => all.filter((one) => one.isTest === isTest))
  return `${name.padEnd(12)}${String(sum(code)).padStart(8)}${String(sum(tests)).padStart(8)}`
}

process.stdout.write(`${'room'.padEnd(12)}${'code'.padStart(8)}${'tests'.padStart(8)}\n`)
for (const [room, all] of [...rooms].sort(([a], [b]) => (a < b ? -1 : 1))) process.stdout.write(`${row(room, all)}\n`)
process.stdout.write(`${row('all', counted)}\n`)

const lengths = counted.filter(({ isTest }) => !isTest).flatMap(({ functions }) => functions)
const median = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)]
process.stdout.write(`median function: ${median} lines\n`)
for (const { file, lines } of counted.filter(({ lines }) => lines > longFile))
  process.stdout.write(`${file}: ${lines}\n`)
