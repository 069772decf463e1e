const files = 'too many files and connections are open (EMFILE, ulimit -n)'

/** Each text has a code of its fault, so that it is recognised in what a process said. */
const lacks: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'the quota of the disk is used up (EDQUOT)',
  EFBIG: 'a file may not grow any further (EFBIG, ulimit -f)',
  EMFILE: files,
  ENFILE: files,
  'too many open files': files,
}

const pattern = new RegExp(Object.keys(lacks).join('|'))

/** The resource of this machine that is used up, as a fault of the system or its text says; null if none is. */
export function lackIn(fault: unknown): string | null {
  const { code = '', message = '' } = Object(fault) as { readonly code?: string; readonly message?: string }
  const [found] = pattern.exec(typeof fault === 'string' ? fault : `${code} ${message}`) ?? []
  return found === undefined ? null : (lacks[found] ?? null)
}
