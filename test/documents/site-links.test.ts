import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { checkSite } from '../../scripts/links/site.ts';

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
