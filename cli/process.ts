import { readFileSync } from 'node:fs'

/** A process, told apart from a later one that got the same id. */
export interface OwningProcess {
  readonly id: number
  /** When it began, in the words of the system; null where the system does not say. */
  readonly began: string | null
}

export function owningProcess(id: number): OwningProcess {
  return { id, began: look(id)?.began ?? null }
}

/** Whether this very process still runs. One that has ended and was not reaped is dead. */
export function isAlive({ id, began }: OwningProcess): boolean {
  try {
    process.kill(id, 0)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPERM') return false
  }
  const seen = look(id)
  return seen === null || (!'ZX'.includes(seen.state) && (began === null || began === seen.began))
}

/** State and beginning of a process from /proc; null where there is no such file. */
function look(id: number): { readonly state: string; readonly began: string } | null {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    // The second field is a name in parentheses that may hold spaces; state is the first after it, began the twentieth.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', began: fields[19] ?? '' }
  } catch {
    return null
  }
}
