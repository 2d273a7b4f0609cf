/**
 * Checks the pages that `npm run docs` has built, and the links of the Markdown files that they are built from. Prints
 * each issue, and exits with 1 if there is one.
 */
import { join } from 'node:path';
import { deadMarkdownLinks, markdownFiles } from './links/markdown.ts';
import { checkSite } from './links/site.ts';

const root = join(import.meta.dirname, '..');
const issues = [
  ...deadMarkdownLinks(root, markdownFiles(root)).map(({ file, target, reason }) => `${file}: ${target}: ${reason}`),
  ...checkSite(join(root, 'site', 'dist')),
];
for (const issue of issues) console.error(issue);
if (issues.length > 0) process.exitCode = 1;
else console.log('Every link of the documents and of site/dist leads somewhere.');
