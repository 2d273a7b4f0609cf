/** The look of the console; light or dark as the owner's system is. On a narrow screen each row of a table becomes a block. */
export const stylesheet = `
:root { color-scheme: light dark; --ground: #f4f5fa; --card: #ffffff; --ink: #1c2033; --quiet: #596079; --line: #dcdfea; --field: #fafbfe;
  --accent: #3f51b5; --accent-ink: #ffffff; --good: #176339; --good-ground: #e2f4e9; --bad: #a1261d; --bad-ground: #fceae7;
  --busy: #7a4b00; --busy-ground: #fdf1d8; --plain-ground: #e9ebf3; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #12141c; --card: #1a1d28; --ink: #e7e9f2; --quiet: #a0a7bd; --line: #2f3446; --field: #141721;
    --accent: #9fabf5; --accent-ink: #141a3c; --good: #8ddba9; --good-ground: #143021; --bad: #ffa197; --bad-ground: #3b1b18;
    --busy: #f0c674; --busy-ground: #35290f; --plain-ground: #272c3b; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
.wide { max-width: 72rem; margin-inline: auto; padding-inline: 1.25rem; }
.narrow { max-width: 32rem; margin-inline: auto; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .wide { display: flex; align-items: center; flex-wrap: wrap; gap: .25rem 1.75rem; padding-block: .6rem; }
.top form { margin-left: auto; }
.brand { font-weight: 750; font-size: 1.1rem; color: var(--ink); text-decoration: none; letter-spacing: -.02em; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem; margin: 0; padding: 0; }
.top nav a { display: block; padding: .3rem .75rem; border-radius: .5rem; text-decoration: none; color: var(--quiet); font-weight: 550; }
.top nav a:hover { color: var(--ink); } .top nav a[aria-current] { background: var(--plain-ground); color: var(--ink); }
main { padding-block: 1.75rem 1rem; }
footer { padding-block: 1rem 2rem; color: var(--quiet); font-size: .85rem; }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0 0 1.1rem; letter-spacing: -.02em; overflow-wrap: anywhere; }
h1 .mark { vertical-align: middle; letter-spacing: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .7rem; } h3 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.trail { margin: 0 0 .2rem; font-size: .9rem; } .trail a::before { content: '‹ '; }
.quiet { color: var(--quiet); font-size: .9rem; } .lead { font-size: 1.08rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.15rem 1.25rem; margin: 0 0 1.25rem; min-width: 0; }
.card > :last-child, .notice > :last-child, .items p:last-child { margin-bottom: 0; }
.flush { padding: .35rem 1.25rem .6rem; }
.columns { display: grid; gap: 0 1.25rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
.notice { border-radius: .6rem; padding: .8rem 1.1rem; margin: 0 0 1.25rem; background: var(--plain-ground); overflow-wrap: anywhere; }
.notice.good { background: var(--good-ground); color: var(--good); } .notice.bad { background: var(--bad-ground); color: var(--bad); }
.notice h2 { margin-bottom: .3rem; } .notice ul { margin: 0; padding-left: 1.2rem; } .notice a { color: inherit; font-weight: 650; }
.mark { display: inline-block; border-radius: 1rem; padding: .05rem .65rem; font-size: .8rem; line-height: 1.5; font-weight: 650; background: var(--plain-ground); color: var(--ink); white-space: nowrap; }
.mark.good { background: var(--good-ground); color: var(--good); } .mark.bad { background: var(--bad-ground); color: var(--bad); }
.mark.busy { background: var(--busy-ground); color: var(--busy); }
.facts { margin: 0; } .facts > div { display: grid; grid-template-columns: minmax(7rem, 2fr) 3fr; gap: .1rem 1rem; padding: .38rem 0; border-top: 1px solid var(--line); }
.facts > div:first-child { border-top: 0; } .facts dt { color: var(--quiet); } .facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.figures dd { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; } .figures > div { grid-template-columns: 2fr 1fr; }
.sums { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 0 0 1.5rem; } .sums dt { color: var(--quiet); font-size: .85rem; }
.sums dd { margin: 0; font-size: 1.2rem; font-weight: 650; } .sums .quiet { display: block; font-size: .85rem; font-weight: 400; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th { text-align: left; color: var(--quiet); font-size: .82rem; font-weight: 600; }
th, td { padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tbody tr:last-child td { border-bottom: 0; } th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; } .credits { font-variant-numeric: tabular-nums; white-space: nowrap; }
time { white-space: nowrap; } dd time { white-space: normal; }
form { margin: 0; } form.filter { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: .8rem 1rem; align-items: end; }
.filter p { margin: 0; } .filter .acts { display: flex; gap: 1rem; align-items: center; }
label { display: block; font-weight: 600; font-size: .88rem; margin-bottom: .2rem; }
input, select { font: inherit; width: 100%; min-height: 2.5rem; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .65rem; }
input:user-invalid { border-color: var(--bad); }
button, .button { font: inherit; font-weight: 600; min-height: 2.5rem; border: 1px solid var(--accent); border-radius: .5rem; padding: .4rem 1.05rem; background: var(--accent); color: var(--accent-ink); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { filter: brightness(1.08); }
button.second, .button.second { background: transparent; color: var(--accent); }
button.plain { background: none; border: 0; padding: .3rem 0; color: var(--quiet); font-weight: 500; text-decoration: underline; text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.line { display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center; } .line form { margin-left: auto; }
form.line { margin-top: .9rem; } form.line label { margin: 0; } form.line input { width: 15rem; max-width: 100%; }
.stack label { margin-top: .8rem; } .stack label:first-of-type { margin-top: 0; } .stack input + .quiet { margin-top: .5rem; } .stack button { margin: 1rem 0 .6rem; } .stack > :last-child { margin-bottom: 0; }
.tabs { margin: 0 0 1rem; } .tabs a { display: block; padding: .35rem .9rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--card); text-decoration: none; color: var(--quiet); }
.tabs a[aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 650; } .count { font-variant-numeric: tabular-nums; }
.items, .timeline { list-style: none; margin: 0; padding: 0; } .items > li { border-top: 1px solid var(--line); padding: .8rem 0; }
.items > li:first-child { border-top: 0; padding-top: 0; } .items > li:last-child { padding-bottom: 0; } .items p { margin: .3rem 0 0; }
.items + p { margin-top: 1rem; }
.timeline li { border-left: 2px solid var(--line); padding: 0 0 .9rem 1rem; position: relative; overflow-wrap: anywhere; }
.timeline li::before { content: ''; position: absolute; left: -.38rem; top: .45rem; width: .62rem; height: .62rem; border-radius: 50%; background: var(--accent); }
.timeline li:last-child { padding-bottom: 0; border-color: transparent; } .timeline time { color: var(--quiet); font-size: .88rem; }
pre, code { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: .87rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; margin: 0 0 .75rem; max-height: 36rem; overflow-y: auto; unicode-bidi: plaintext; }
summary { cursor: pointer; color: var(--quiet); font-size: .9rem; margin-bottom: .5rem; }
.pages { margin: 0 0 1.25rem; } .card .pages { margin: .9rem 0 0; }
@media (max-width: 46rem) {
  .columns { grid-template-columns: minmax(0, 1fr); } .wide { padding-inline: 1rem; } main { padding-top: 1.25rem; }
  .top nav { order: 3; width: 100%; } .top nav ul { margin-inline: -.55rem; gap: 0; } .top nav a { padding: .3rem .5rem; font-size: .88rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; } tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); } tbody tr:last-child { border-bottom: 0; }
  td { display: block; position: relative; padding: .12rem 0 .12rem 6.5rem; border: 0; } td.number { text-align: left; }
  td::before { content: attr(data-name); position: absolute; left: 0; color: var(--quiet); font-size: .85rem; }
}
`;
