export { renderHtml } from './html.ts'
export { renderJunit } from './junit.ts'
export { type Paint, plain } from './paint.ts'
export { renderFailure, renderSummary, renderText } from './text.ts'
