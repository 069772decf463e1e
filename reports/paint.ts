/** The colours of a terminal, passed in so that reports stay pure; those of picocolors fit. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const same = (text: string) => text

/** No colours at all. */
export const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }
