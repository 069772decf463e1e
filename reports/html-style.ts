import { verdictOrder } from '../verdicts/verdicts.ts'

/** Hides the rules that a chosen verdict or area leaves out: filters without a script. */
export function filterStyle(areas: readonly string[]): string {
  const hide = (id: string, name: string) => `#rules:has(#${id}:checked) li:not(.${name}){display:none}\n`
  return [
    ...verdictOrder.map((verdict) => hide(`verdict-${verdict}`, `v-${verdict}`)),
    ...areas.map((area) => hide(`area-${area}`, `a-${area}`)),
  ].join('')
}

/** The style of the report: system fonts, both colour schemes, one column that fits a phone, and print. */
export const pageStyle = `
:root{--paper:#fff;--ink:#1b1f24;--quiet:#59626e;--line:#dde1e6;--well:#f5f6f8;--good:#17713b;--part:#855600;--bad:#b3261e;--link:#0b5cad;--mark:#fff0b8}
@media(prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ed;--quiet:#a0aab6;--line:#343b44;--well:#1c2026;--good:#5fcf8d;--part:#e5b454;--bad:#ff8a80;--link:#7fb8ff;--mark:#4d4010}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,nav{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
header>*{max-width:50rem}
.good{--tone:var(--good)}.part{--tone:var(--part)}.bad{--tone:var(--bad)}
h1{margin:.1rem 0 .5rem;color:var(--tone);font-size:2.25rem;line-height:1.15;letter-spacing:-.02em}
h1::first-letter{text-transform:uppercase}
h2{margin:3rem 0 .75rem;font-size:1.35rem;line-height:1.3;letter-spacing:-.01em}small{margin-left:.25rem;color:var(--quiet);font-size:.9rem;font-weight:400;letter-spacing:0}
h3,h4{margin:0;font-size:1rem;line-height:1.4}
.cause{margin:1.5rem 0;padding-left:1rem;border-left:2px solid var(--line)}
.cause>h3{margin-bottom:.5rem;font-weight:400}
p{margin:.25rem 0}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible,label:has(:focus-visible){outline:2px solid var(--link);outline-offset:2px}
.quiet,.gist{color:var(--quiet);font-size:.875rem}
nav{position:sticky;top:0;z-index:1;background:var(--paper);border-bottom:1px solid var(--line)}
nav ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;margin:1rem 0 0;padding:.5rem 0;list-style:none;font-size:.9rem}
[id]{scroll-margin-top:4rem}
.tally{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0 .25rem;padding:0;list-style:none;color:var(--tone)}
.tally li{color:var(--tone)}
.v-failed,.v-broken{--tone:var(--bad)}.v-advice,.v-accepted,.v-inconclusive,.v-blocked,.v-unverified{--tone:var(--part)}.v-unclaimed,.v-not-applicable{--tone:var(--quiet)}.v-passed,.v-observed{--tone:var(--good)}
summary{cursor:pointer;padding:.35rem 0}
.card{margin:.5rem 0;border:1px solid var(--line);border-radius:6px;padding:0 1rem}
.card[open]{padding-bottom:1rem}
.card>summary{display:grid;grid-template-columns:1rem 1fr;padding:.7rem 0}
.card>summary::before{content:"+";grid-row:1/4;color:var(--tone);font-weight:700}
.card[open]>summary::before{content:"−"}
.card>summary>*{grid-column:2}
.card[open]>summary>.gist{display:none}
.gist{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.75rem 0 0;font-size:.9rem}
dt{color:var(--quiet)}dd{margin:0;min-width:0}
.finding{grid-template-columns:1fr 1fr;gap:.75rem;font-size:1rem}
.finding .clause{grid-column:1/3;display:flex;gap:.75rem;font-size:.9rem}
.expected,.observed{min-width:0;padding:.5rem .75rem;background:var(--well);border-radius:4px;border-top:2px solid var(--good)}
.observed{border-color:var(--bad)}
.expected dt,.observed dt{font-size:.8rem}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:.75rem}
.sides>*{min-width:0}
code,pre{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
h3 code,h4 code{font-size:.95em}
pre{margin:.25rem 0;padding:.6rem .75rem;background:var(--well);border-radius:4px;font-size:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
pre .quiet{font-size:inherit}
mark{background:var(--mark);color:inherit;border-radius:2px;font-weight:600}
.shell{white-space:pre;overflow-x:auto;overflow-wrap:normal}
.fold{margin-top:.5rem}
.exchange>summary{font:.8rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.fold .exchange{margin-left:.75rem}
button{float:right;margin-left:.5rem;padding:.1rem .6rem;border:1px solid var(--line);border-radius:4px;background:var(--paper);color:var(--ink);font:inherit;font-size:.8rem;cursor:pointer}
.wide{overflow-x:auto;overflow-wrap:normal;margin:.5rem 0 1.5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{padding:.25rem 0;color:var(--quiet);text-align:left}
th,td{padding:.3rem 1rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{color:var(--quiet);font-size:.8rem}
td{font-variant-numeric:tabular-nums}
.bar{display:block;width:100%;min-width:6rem;height:.5rem;margin-top:.45rem;background:var(--well);border-radius:2px}
.share-0{fill:var(--good)}.share-1{fill:var(--bad)}.share-2{fill:var(--part)}.share-3{fill:var(--line)}.span{fill:var(--link)}
.plain{margin:0;padding:0;list-style:none}
.plain li{padding:.4rem 0;border-bottom:1px solid var(--line)}
#rules .plain li{display:grid;grid-template-columns:7rem minmax(0,24rem) 1fr;gap:0 1rem}
.verdict{color:var(--tone);font-size:.875rem}
.waits li{display:grid;grid-template-columns:minmax(0,20rem) 12rem 1fr;gap:0 1.25rem}
.plots svg{display:block;width:100%;height:5rem;margin:.35rem 0;background:var(--well);border-radius:2px}.plots line{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
.key{display:inline-block;width:.7em;height:.7em;border-radius:2px;background:currentColor}.key.share-0{color:var(--good)}.key.share-1{color:var(--bad)}.key.share-2{color:var(--part)}
.filters{margin-bottom:.75rem}
fieldset{margin:0 0 .5rem;padding:0;border:0}
legend{padding:0;color:var(--quiet);font-size:.8rem}
fieldset label{display:inline-block;margin:.2rem .25rem .2rem 0;padding:.15rem .7rem;border:1px solid var(--line);border-radius:4px;font-size:.875rem;cursor:pointer}
fieldset label:has(:checked){border-color:var(--ink);background:var(--ink);color:var(--paper)}
fieldset input{position:absolute;opacity:0}
input[type=search]{display:block;width:100%;max-width:30rem;padding:.4rem .6rem;border:1px solid var(--quiet);border-radius:4px;background:var(--paper);color:var(--ink);font:inherit}
@media(max-width:48rem){header{padding-top:1.25rem}h1{font-size:1.75rem}nav{position:static}dl,.finding,.sides{grid-template-columns:1fr}.finding .clause{grid-column:1}dl:not(.finding) dd{margin-bottom:.4rem}.card{padding:0 .75rem}.cause{padding-left:.5rem}#rules .plain li,.waits li{grid-template-columns:1fr}}
@media print{nav,.filters,button{display:none}.card,li{break-inside:avoid-page}.card[open]{break-inside:auto}pre,.shell{white-space:pre-wrap;overflow-wrap:anywhere}body{font-size:11pt}}
`
