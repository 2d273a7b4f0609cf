// The first places of a board and the links to vote, beside the script element that loads this. All that it shows is in it.
(() => {
  const script = document.currentScript;
  if (script === null) return;
  const data = __DATA__;

  const styles = `
:host { display: block; max-width: 24rem; margin-block: 1rem; color-scheme: inherit; }
:host([data-theme="light"]) { color-scheme: light; }
:host([data-theme="dark"]) { color-scheme: dark; }
section { box-sizing: border-box; padding: 1rem 1.1rem; border: 1px solid light-dark(#dcdfea, #2f3446); border-radius: .75rem;
  background: light-dark(#fff, #1a1d28); color: light-dark(#1c2033, #e7e9f2);
  font: 15px / 1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.05rem; line-height: 1.3; }
p { margin: 0; }
.quiet, .score { color: light-dark(#596079, #a0a7bd); font-size: .87rem; }
ol { list-style: none; margin: .6rem 0; padding: 0; }
li { display: flex; gap: .6rem; align-items: baseline; padding-block: .3rem; }
li + li { border-top: 1px solid light-dark(#dcdfea, #2f3446); }
.rank { min-width: 1.5rem; text-align: center; font-variant-numeric: tabular-nums; }
.score { margin-inline-start: auto; white-space: nowrap; font-variant-numeric: tabular-nums; }
.links { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
a { color: light-dark(#3f51b5, #9fabf5); }
.links a { padding: .35rem .9rem; border-radius: .5rem; font-weight: 600; text-decoration: none;
  background: light-dark(#3f51b5, #9fabf5); color: light-dark(#fff, #141a3c); }
a:focus-visible { outline: 3px solid light-dark(#3f51b5, #9fabf5); outline-offset: 2px; }
.more { margin-top: .6rem; font-size: .87rem; }
`;

  const element = (name, properties, ...children) => {
    const created = Object.assign(document.createElement(name), properties);
    created.append(...children);
    return created;
  };
  const link = (label, url) => element('a', { href: url, target: '_blank', rel: 'noopener' }, label);

  const members = data.members.map(({ rank, name, score }) =>
    element(
      'li',
      {},
      element('span', { className: 'rank' }, rank),
      element('bdi', {}, name),
      element('span', { className: 'score' }, score),
    ),
  );
  const page = new URL(`../${data.slug}`, script.src).href;
  const content = element(
    'section',
    { lang: data.locale },
    element('h2', {}, element('bdi', {}, data.name)),
    element('p', { className: 'quiet' }, data.title),
    members.length === 0 ? element('p', {}, data.none) : element('ol', {}, ...members),
    element('div', { className: 'links' }, ...data.links.map(({ label, url }) => link(label, url))),
    element('p', { className: 'more' }, link(data.more, page)),
  );
  content.setAttribute('aria-label', data.title);

  const host = document.createElement('div');
  const { theme } = script.dataset;
  if (theme !== undefined) host.dataset.theme = theme;
  const root = host.attachShadow({ mode: 'open' });
  // Not an element: a policy for styles would reject one.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  root.append(content);
  script.after(host);
})();
