import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { isFile } from '../shared/records/output-folders.ts'

/** A record without its end. */
interface CutOff {
  /** One sentence for the user. */
  readonly message: string
  /** True if the run itself ended in order, so that its record was damaged later. */
  readonly isDamaged: boolean
}

/** Says where the record in `dir` ends, and why it is not judged again. */
export function cutOffOf(dir: string): CutOff {
  const file = join(dir, 'evidence.ndjson')
  const place = `${file} ${endOf(readFileSync(file))}`
  const kept = join(dir, 'results.json')
  const word = isFile(kept) ? membersOf(membersOf(jsonIn(readFileSync(kept, 'utf8')))?.verdict)?.word : undefined
  if (word === 'interrupted') {
    const message = `${place}, because its run was interrupted: it is not judged again; results.json beside it has the verdicts from before, and check judges the rest`
    return { message, isDamaged: false }
  }
  if (word !== undefined) {
    const message = `${place}, but results.json beside it is of a run that ended: the record was cut off later and is not judged again; copy it once more from where it was made`
    return { message, isDamaged: true }
  }
  const message = `${place}: the run was killed, or the file was cut off, so it is not judged again; copy it whole, or run check again`
  return { message, isDamaged: false }
}

/** The end of a record that has no event of type end. */
function endOf(bytes: Uint8Array): string {
  const lines = bytes.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0)
  return bytes.at(-1) === 0x0a
    ? `ends after line ${lines}, without an event of type end`
    : `breaks off in line ${lines + 1}`
}
