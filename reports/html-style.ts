import { raw } from 'hono/html'

/** The style of the report: system fonts, both colour schemes, one column that fits a phone. */
export const pageStyle = raw(`
:root{--paper:#fff;--ink:#1b1f24;--quiet:#5b6470;--line:#d8dde3;--well:#f4f6f8;--good:#17713b;--part:#8a5a00;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ed;--quiet:#9aa4b0;--line:#333a43;--well:#1d2127;--good:#5fcf8d;--part:#e5b454;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main{max-width:60rem;margin:0 auto;padding:1rem}
header{border-bottom:4px solid var(--tone)}
.good{--tone:var(--good)}.part{--tone:var(--part)}.bad{--tone:var(--bad)}
h1{margin:0;color:var(--tone);font-size:1.6rem}
h2{margin:2rem 0 .5rem;font-size:1.25rem}h2 small{color:var(--quiet);font-weight:400}
h3{margin:0;font:600 1.05rem/1.4 ui-monospace,monospace}h4{margin:1rem 0 .25rem;font-size:1rem}
p{margin:.25rem 0}
.quiet{color:var(--quiet);font-size:.875rem}
.says{font-size:1.05rem}
.tally{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 .25rem;padding:0;list-style:none}
.tally li{padding:.1rem .6rem;border:1px solid var(--tone,var(--line));border-radius:1rem}
.v-failed,.v-broken{--tone:var(--bad)}.v-advice,.v-accepted,.v-inconclusive,.v-blocked,.v-unverified{--tone:var(--part)}.v-passed,.v-observed{--tone:var(--good)}
article{margin:1rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-left:4px solid var(--tone,var(--line));border-radius:4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .75rem;margin:.5rem 0}
dt{color:var(--quiet)}dd{margin:0;min-width:0}
.observed{color:var(--bad)}
code,pre{font:.85rem/1.45 ui-monospace,monospace}
pre{margin:.25rem 0;padding:.5rem .75rem;background:var(--well);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
.shell{white-space:pre;overflow-x:auto;overflow-wrap:normal}
summary{cursor:pointer;padding:.25rem 0}
.exchange{margin-left:.5rem}.exchange summary{font:.85rem/1.45 ui-monospace,monospace}
.wide{overflow-x:auto;overflow-wrap:normal}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.rules{margin:0;padding:0;list-style:none}
.rules li{display:grid;padding:.5rem 0;border-bottom:1px solid var(--line)}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.35rem}}
`)
