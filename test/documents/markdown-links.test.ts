import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { deadMarkdownLinks, headingAnchors, markdownFiles, relativeLinks } from '../../scripts/links/markdown.ts';
import { checkSite } from '../../scripts/links/site.ts';

const root = join(import.meta.dirname, '..', '..');

describe('Markdown links', () => {
  it('lead to files and headings that exist', () => {
    const files = markdownFiles(root);
    expect(files).toEqual(
      expect.arrayContaining(['AGENTS.md', 'README.md', 'docs/setup.md', 'deploy/README.md', 'llms.txt']),
    );
    expect(deadMarkdownLinks(root, files)).toEqual([]);
  });

  it('of llms.txt lead to every page of the manual, by addresses, each with a line', () => {
    const lines = readFileSync(join(root, 'llms.txt'), 'utf8').split('\n');
    const pages = markdownFiles(root).filter(
      (file) => /^docs\/(?!answers\.md)/.test(file) && !file.startsWith('docs/api/'),
    );
    for (const page of pages) {
      const line = lines.find((each) =>
        each.includes(`](https://raw.githubusercontent.com/tallyhook/tallyhook/main/${page})`),
      );
      expect(line, page).toMatch(/^- \[[^\]]+\]\(\S+\): \S/);
    }
  });

  it('are beside names of modules, which exist', () => {
    const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions.md', 'docs/extending.md', 'docs/flows.md'];
    const roots = ['', 'src', 'packages/platform/src'];
    const isThere = (name: string) =>
      roots.some((folder) => ['', '.ts'].some((end) => globSync(join(folder, name) + end, { cwd: root }).length > 0));
    const named = pages.flatMap((page) => {
      const prose = readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
      const modules = prose.matchAll(
        /`((?:app|commands|config|core|discord|features|lookup|src|webhook)\/[\w*./-]+)`/g,
      );
      return [...modules].map(([, name = '']) => ({ page, name }));
    });
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });

  it('of the README are relative, and so work on the page of the package', () => {
    const absolute = relativeLinks(readFileSync(join(root, 'README.md'), 'utf8')).filter((each) =>
      each.startsWith('/'),
    );
    expect(absolute).toEqual([]);
  });
});

describe('the check of Markdown links', () => {
  it('reports missing files and anchors, and links out of the repository', () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'docs'));
    writeFileSync(join(directory, 'docs', 'b.md'), '# Two words\n\n## Two words\n');
    writeFileSync(
      join(directory, 'a.md'),
      '[fine](docs/b.md#two-words-1) [gone](c.md) ![gone](<d.png>) [no anchor](docs/b.md#three) [self](#no)\n' +
        '[out](../x.md) [web](https://example.com/y) [raw](https://raw.githubusercontent.com/tallyhook/tallyhook/main/h.md) `[code](e.md)`\n\n```md\n[code](f.md)\n```\n\n[ref]: g.md\n',
    );
    expect(deadMarkdownLinks(directory, ['a.md']).map(({ target, reason }) => `${target}: ${reason}`)).toEqual([
      ...['c.md: no such file', 'd.png: no such file', 'docs/b.md#three: no such anchor', '#no: no such anchor'],
      ...['../x.md: leaves the repository'],
      'https://raw.githubusercontent.com/tallyhook/tallyhook/main/h.md: no such file',
      'g.md: no such file',
    ]);
  });

  it('forms anchors as GitHub does', () => {
    const anchors = headingAnchors(
      '# `/privacy` and C++\n\n```\n# not a heading\n```\n\n## Übersicht: [a link](b.md), 1_2\n',
    );
    expect([...anchors]).toEqual(['privacy-and-c', 'übersicht-a-link-1_2']);
  });
});

it('the check of the site finds dead links, and what pages load from other hosts', () => {
  const directory = tempDir();
  writeFileSync(
    join(directory, 'index.html'),
    '<link rel="stylesheet" href="style.css"/><a href="a.html#here">a</a><a href="a.html#gone">a</a>' +
      '<a href="b.html">b</a><a href="https://example.com/">elsewhere</a><script src="https://example.com/x.js"></script>',
  );
  writeFileSync(
    join(directory, 'a.html'),
    '<h2 id="here">Here</h2><img src="//example.com/y.png"/><a href="#here">up</a>',
  );
  writeFileSync(join(directory, 'style.css'), '@import "https://example.com/z.css"; p { background: url(data:,) }');
  expect(checkSite(directory).toSorted()).toEqual([
    'a.html: loads //example.com/y.png',
    'index.html: a.html#gone has no such anchor',
    'index.html: b.html does not exist',
    'index.html: loads https://example.com/x.js',
    'style.css: loads https://example.com/z.css',
  ]);
});

const examplesRoot = join(import.meta.dirname, '..', '..', 'examples');

it('the index of the examples lists each with what it imports', () => {
  const index = readFileSync(join(examplesRoot, 'README.md'), 'utf8');
  const examples = globSync('*/main.ts', { cwd: examplesRoot }).map((path) => path.replace('/main.ts', ''));
  expect(examples.length).toBeGreaterThan(0);
  for (const name of examples) {
    const row = index.split('\n').find((line) => line.startsWith('|') && line.includes(`(${name}/README.md)`));
    expect(row, name).toBeDefined();
    const listed = [...(row ?? '').matchAll(/`(tallyhook[\w/]*)`/g)].map(([, entry]) => entry);
    const main = readFileSync(join(examplesRoot, name, 'main.ts'), 'utf8');
    const imported = [...main.matchAll(/ from '(tallyhook[\w/]*)'/g)].map(([, entry]) => entry);
    expect(new Set(listed), name).toEqual(new Set(imported));
    for (const file of ['README.md', 'package.json'])
      expect(existsSync(join(examplesRoot, name, file)), name).toBe(true);
  }
});
