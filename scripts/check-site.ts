/**
 * Checks the pages that `npm run docs` has built, and the links of the Markdown files that they are built from. Prints
 * each issue, and exits with 1 if there is one. With Chromium it also opens the documents.
 */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { deadMarkdownLinks, markdownFiles } from './links/markdown.ts';
import { checkSite } from './links/site.ts';
import { visitSite } from './links/visit-site.ts';

const root = join(import.meta.dirname, '..');
const site = join(root, 'site', 'dist');
const canVisit = existsSync(process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium');
const visited = ['try/index.html', 'index.html', ...globSync('{documents,modules}/*.html', { cwd: site })];
const issues = [
  ...deadMarkdownLinks(root, markdownFiles(root)).map(({ file, target, reason }) => `${file}: ${target}: ${reason}`),
  ...checkSite(site),
  ...(canVisit ? await visitSite(site, visited) : []),
];
for (const issue of issues) console.error(issue);
if (issues.length > 0) process.exitCode = 1;
else console.log('Every link of the documents and of site/dist leads somewhere.');
if (!canVisit) console.log('The pages were not opened: set CHROMIUM_PATH to a Chromium.');
