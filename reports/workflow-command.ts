import { codePointEscape, unseen } from '../harness/common/escape.ts'

export interface Annotation {
  readonly title: string
  readonly text: string
}

/** A workflow command of GitHub Actions, which shows an annotation, of a file if there is one. */
export function workflowCommand(kind: string, { title, text }: Annotation, file: string | null = null): string {
  const properties = [...(file === null ? [] : [`file=${property(file)}`, 'line=1']), `title=${property(title)}`]
  return `::${kind} ${properties.join(',')}::${data(text)}`
}

/** The message of a command: `%` begins an escape, and a line break would end it. */
function data(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(unseen, codePointEscape))
  return lines.join('\n').replaceAll('%', '%25').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
