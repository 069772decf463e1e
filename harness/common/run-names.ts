const ofRun = /plumbline-(r[0-9a-z]{10})(?![0-9a-z])/i

/** The run that a name was made for, in lower case; undefined if it names none. */
export function runIn(name: string): string | undefined {
  const match = ofRun.exec(name)
  return match?.index === 0 ? match[1]?.toLowerCase() : undefined
}

/** A text whose names are the same in every run: `plumbline-RUN` in place of the run's id. */
export function withoutRun(text: string): string {
  return text.replaceAll(new RegExp(ofRun, 'gi'), (found) => `${found.slice(0, 'plumbline-'.length)}RUN`)
}
