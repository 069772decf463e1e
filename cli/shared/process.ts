import { readFileSync } from 'node:fs'

/** A process, distinguishable from a later one with the same id. */
export type OwningProcess = ReturnType<typeof owningProcess>

/** `began`: when it began, in the format of the system; null if the system does not say. */
export function owningProcess(id: number) {
  return { id, began: look(id)?.began ?? null }
}

/** True if this very process still runs. A zombie counts as dead. */
export function isAlive({ id, began }: OwningProcess): boolean {
  try {
    process.kill(id, 0)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPERM') return false
  }
  const seen = look(id)
  return seen === null || (!'ZX'.includes(seen.state) && (began === null || began === seen.began))
}

/** State and start of a process from /proc; null without such a file. */
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
