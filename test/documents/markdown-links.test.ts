import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { deadMarkdownLinks, headingAnchors, markdownFiles, relativeLinks } from '../../scripts/links/markdown.ts';

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
      'c.md: no such file',
      'd.png: no such file',
      'docs/b.md#three: no such anchor',
      '#no: no such anchor',
      '../x.md: leaves the repository',
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
