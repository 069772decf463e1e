/** An expectation with the steps of the walk before it. */
export function afterSteps(expected: string, said: readonly string[]): string {
  return said.length === 0 ? expected : `${expected} after ${said.join(', ')}`
}

/** The letter of a pod or a job in texts, by the order of creation. */
export function letterOf(place: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + place)
}
