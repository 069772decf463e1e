import { serialiseResults } from '../results/build.ts'
import type { ReportedResults } from './baseline.ts'
import { renderCtrf } from './ctrf.ts'
import type { Format } from './format-names.ts'
import { renderGithub } from './github.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSarif } from './sarif.ts'
import { renderText } from './text.ts'

/** Each format as a pure function of the results; its text ends with a newline. */
export const formats: Readonly<Record<Format, (results: ReportedResults) => string>> = {
  text: (results) => renderText(results),
  json: (results) => serialiseResults(results.recorded ?? results),
  junit: renderJunit,
  sarif: renderSarif,
  markdown: renderMarkdown,
  ctrf: renderCtrf,
  github: renderGithub,
}
