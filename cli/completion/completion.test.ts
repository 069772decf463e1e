import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const main = join(import.meta.dirname, '..', 'main.ts')
const cwd = mkdtempSync(join(tmpdir(), 'plumbline-completion-'))
const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd, encoding: 'utf8' })

describe('bash completes', () => {
  // The script calls the compiled program; the sources are what is tested here.
  const script = scriptOf('bash').replaceAll(/node \S+plumbline\.js/g, `${process.execPath} ${main}`)
  writeFileSync(join(cwd, 'plumbline.bash'), script)

  test.each<[words: string[], found: string[]]>([
    [['ch'], ['check']],
    [['comp'], ['compare', 'completion']],
    [
      ['check', '--re'],
      ['--reference', '--rerun-failed'],
    ],
    [
      ['check', '--only', 'pods.action.exited.s'],
      ['pods.action.exited.start', 'pods.action.exited.stop'],
    ],
    [['check', '--only', 'webho'], expect.arrayContaining(['webhook', 'webhook.once'])],
    [['check', '--profile', 'deploy-'], ['deploy-size']],
    [['explain', 'pods.del'], ['pods.delete']],
    [['accept', 'report', 'pods.del'], ['pods.delete']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['serve', '--defect', 'ttl-default-12'], ['ttl-default-12-h']],
    [['check', '--target', 'te'], []],
    [['compare', 'repo'], []],
  ])('%j', { timeout: 30_000 }, (words, found) => {
    // As bash-completion defines it, which need not be installed.
    const helper = `_get_comp_words_by_ref() {
      cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    }`
    const typed = ['plumbline', ...words].map((word) => `'${word}'`).join(' ')
    const call = `COMP_WORDS=(${typed}) COMP_CWORD=${words.length}; __plumbline_complete_or_say`
    const shown = `printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = run('bash', '-c', `${helper}; . ./plumbline.bash; ${call}; ${shown}`)
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(found)
  })

  test('names of files where nothing else fits', () => {
    const { stdout } = run('bash', '-c', '. ./plumbline.bash; complete -p plumbline')
    expect(stdout).toBe('complete -o default -F __plumbline_complete_or_say plumbline\n')
  })

  test('nothing without bash-completion, and says so in one sentence', () => {
    const missing = 'unset -f _get_comp_words_by_ref; COMP_WORDS=(plumbline ch) COMP_CWORD=1'
    const { stdout, stderr } = run('bash', '-c', `. ./plumbline.bash; ${missing}; __plumbline_complete_or_say`)
    expect([stdout, stderr]).toEqual([
      '',
      '\nplumbline: completion needs the package bash-completion; install it and start a new shell\n',
    ])
  })
})

describe.each(['zsh', 'fish'])('%s', (shell) => {
  test.skipIf(run(shell, '--version').error !== undefined)('accepts its script', { timeout: 30_000 }, () => {
    writeFileSync(join(cwd, shell), scriptOf(shell))
    expect(run(shell, '-n', shell)).toMatchObject({ status: 0, stderr: '' })
  })
})

test('another shell is refused', () => {
  const { status, stderr } = run(process.execPath, main, 'completion', 'csh')
  expect(stderr).toContain('Allowed choices are bash, zsh, fish.')
  expect(status).toBe(2)
})

function scriptOf(shell: string): string {
  return run(process.execPath, main, 'completion', shell).stdout
}
