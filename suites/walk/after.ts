/** An expectation with the steps of the walk before it. */
export function afterSteps(expected: string, said: readonly string[]): string {
  return said.length === 0 ? expected : `${expected} after ${said.join(', ')}`
}
