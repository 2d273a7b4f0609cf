import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Something that is wrong with a page, as a line for the person who builds it. */
export type SiteIssue = string;

/**
 * Checks a folder of static pages: every relative link and anchor leads somewhere, and neither page nor style sheet loads
 * anything from another host. Throws what `node:fs` throws.
 */
export function checkSite(directory: string): SiteIssue[] {
  const files = globSync(['**/*', '**/.*'], { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => normalize(join(entry.parentPath, entry.name)).slice(normalize(directory).length + 1));
  const existing = new Set(files);
  const pages = new Map(
    files.filter((file) => file.endsWith('.html')).map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );
  const anchors = new Map([...pages].map(([file, html]) => [file, idsOf(html)]));
  const dead = [...pages].flatMap(([file, html]) =>
    linksOf(html).flatMap((link) => {
      const [path = '', anchor = ''] = link.split('#', 2);
      const linked = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
      if (!existing.has(linked)) return [`${file}: ${link} does not exist`];
      const known = anchors.get(linked);
      return anchor === '' || known === undefined || known.has(decodeURIComponent(anchor))
        ? []
        : [`${file}: ${link} has no such anchor`];
    }),
  );
  const styles = files.filter((file) => file.endsWith('.css'));
  const foreign = [
    ...[...pages].flatMap(([file, html]) => foreignAssets(html).map((asset) => `${file}: loads ${asset}`)),
    ...styles.flatMap((file) =>
      foreignImports(readFileSync(join(directory, file), 'utf8')).map((asset) => `${file}: loads ${asset}`),
    ),
  ];
  return [...new Set([...dead, ...foreign])];
}

/** Relative targets of links and assets, without a query. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src|srcset)="([^"]+)"/g)]
    .map(([, target = '']) => target.replaceAll('&amp;', '&'))
    .filter((target) => !isForeign(target) && !/^(?:data|mailto|javascript):/.test(target))
    .map((target) => target.replace(/\?[^#]*/, ''));
}

function idsOf(html: string): Set<string> {
  return new Set([...html.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id.replaceAll('&amp;', '&')));
}

/** What a browser would load from elsewhere by itself: links are not among it. */
function foreignAssets(html: string): string[] {
  return [...html.matchAll(/<(?:script|img|iframe|link|source|video|audio|embed|object|use)\b[^>]*>/g)].flatMap(
    ([tag]) =>
      [...tag.matchAll(/ (?:href|src|srcset|data|poster)="([^"]+)"/g)]
        .map(([, target = '']) => target)
        .filter(isForeign),
  );
}

function foreignImports(css: string): string[] {
  return [...css.matchAll(/(?:url\(|@import )\s*["']?([^"')\s;]+)/g)]
    .map(([, target = '']) => target)
    .filter(isForeign);
}

function isForeign(target: string): boolean {
  return /^(?:https?:)?\/\//i.test(target);
}
