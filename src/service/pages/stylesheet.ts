/** The look of the pages; light or dark as the visitor's system is. */
export const stylesheet = `
:root { color-scheme: light dark; --ground: #f6f5f1; --card: #ffffff; --ink: #1d2430; --quiet: #5b6472; --line: #dedbd2;
  --accent: #1f5f6b; --accent-ink: #ffffff; --good: #1e6b3c; --good-ground: #e4f3e9; --bad: #a3271f; --bad-ground: #fbe9e7; --star: #b7791f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --card: #1d232b; --ink: #e8eaed; --quiet: #a2abb8; --line: #303843; --accent: #6cc3d1;
    --accent-ink: #0d2429; --good: #8fd6a8; --good-ground: #16301f; --bad: #ff9d94; --bad-ground: #3a1a17; --star: #e8b04b; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
a { color: var(--accent); }
.wide { max-width: 64rem; margin-inline: auto; padding-inline: 1.25rem; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .wide { display: flex; justify-content: space-between; align-items: center; flex-wrap: wrap; gap: .5rem 1rem; padding-block: .75rem; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; letter-spacing: -.01em; }
nav { display: flex; gap: 1rem; align-items: center; }
nav .who { color: var(--quiet); }
main { padding-block: 2rem; }
footer { padding-block: 2rem; color: var(--quiet); font-size: .875rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.02em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.bad { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1.25rem; }
.card > :last-child { margin-bottom: 0; }
.cards { list-style: none; padding: 0; margin: 1.25rem 0; display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); }
.cards .card { margin: 0; }
.hero { display: flex; gap: 1.25rem; align-items: flex-start; }
.badge { flex: none; display: grid; place-items: center; width: 5rem; height: 5rem; border-radius: 1.25rem; background: var(--accent);
  color: var(--accent-ink); font-size: 2.2rem; font-weight: 700; }
.badge.small { width: 2.75rem; height: 2.75rem; border-radius: .7rem; font-size: 1.2rem; margin-bottom: .75rem; }
.lead { font-size: 1.05rem; max-width: 46rem; }
.tags { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; margin: 0; }
.tags li { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .7rem; font-size: .85rem; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 1.5rem 0; }
.figures dt { color: var(--quiet); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.35rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.columns { display: grid; gap: 2rem; grid-template-columns: minmax(0, 1fr) 19rem; }
@media (max-width: 48rem) { .columns { grid-template-columns: minmax(0, 1fr); } .columns aside { order: -1; } .badge { width: 3.5rem; height: 3.5rem; font-size: 1.6rem; } }
button, .button { font: inherit; font-weight: 600; border: 1px solid var(--accent); border-radius: .5rem; padding: .5rem 1rem; background: var(--accent);
  color: var(--accent-ink); cursor: pointer; text-decoration: none; display: inline-block; }
button.second { background: transparent; color: var(--accent); }
button.plain { background: none; border: 0; padding: 0; color: var(--accent); text-decoration: underline; font-weight: 400; }
button.danger { color: var(--bad); }
button:disabled { background: var(--ground); color: var(--quiet); border-color: var(--line); cursor: not-allowed; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.vote button, .vote .button { width: 100%; text-align: center; }
form { margin: 0; }
.vote form { margin-bottom: .75rem; } .vote > button { margin-bottom: .75rem; }
.stack { display: grid; gap: .9rem; } .stack button { justify-self: start; }
.line { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; margin-top: 1rem; }
label { display: grid; gap: .25rem; font-weight: 600; font-size: .9rem; }
.line label { display: flex; align-items: center; gap: .5rem; }
input, textarea, select { font: inherit; font-weight: 400; font-size: 1rem; width: 100%; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .7rem; }
.voters, .reviews, .deliveries { list-style: none; margin: 0; padding: 0; }
.voters li { display: flex; justify-content: space-between; gap: 1rem; padding: .2rem 0; }
.voters li span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.voters time { color: var(--quiet); font-size: .85rem; white-space: nowrap; }
aside ol { margin: 0; } aside .card ol:not(.voters) { padding-left: 1.2rem; }
.sorts { display: flex; gap: .75rem; }
.reviews li { padding: 1rem 0; border-top: 1px solid var(--line); }
.reviews .stars { margin: 0; color: var(--star); letter-spacing: .1em; }
.reviews .comment { margin: .25rem 0; white-space: pre-line; }
.reviews .quiet { margin: 0; }
.notice { border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1.25rem; background: var(--good-ground); color: var(--good); }
.notice.bad { background: var(--bad-ground); color: var(--bad); }
.notice p:last-child { margin: 0; }
.secret { font-size: 1rem; user-select: all; overflow-wrap: anywhere; }
.deliveries > li { border-top: 1px solid var(--line); padding: .75rem 0; }
.deliveries .line { margin: 0 0 .4rem; } .deliveries form { margin-left: auto; }
.deliveries button { padding: .2rem .7rem; }
.deliveries pre, code { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: .85rem; }
.deliveries pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); border-radius: .5rem; padding: .75rem; margin: .5rem 0 0; }
.deliveries summary { cursor: pointer; font-size: .9rem; color: var(--quiet); }
.state { border-radius: 1rem; padding: .05rem .7rem; font-size: .8rem; font-weight: 600; background: var(--ground); color: var(--quiet); }
.state.delivered { background: var(--good-ground); color: var(--good); } .state.failed { background: var(--bad-ground); color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th { text-align: left; color: var(--quiet); font-size: .85rem; font-weight: 600; }
th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
`;
