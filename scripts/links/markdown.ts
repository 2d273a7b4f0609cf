import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A link that leads nowhere. */
export interface DeadLink {
  /** The file with the link, relative to the root. */
  readonly file: string;
  readonly target: string;
  readonly reason: 'no such file' | 'no such anchor' | 'leaves the repository';
}

/** What precedes the path of a file in its address, for documents that are read elsewhere, such as llms.txt. */
const ownAddress =
  /^https:\/\/(?:raw\.githubusercontent\.com\/tallyhook\/tallyhook|github\.com\/tallyhook\/tallyhook\/blob)\/main\//;

/** The Markdown files of the repository, without those of packages and of what was built. */
export function markdownFiles(root: string): string[] {
  return globSync('{*.md,llms.txt,.github/**/*.md,{docs,examples,site,deploy,bench}/**/*.md}', { cwd: root })
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
    .toSorted();
}

/**
 * Relative links and anchors of Markdown files that lead nowhere, as GitHub resolves them, and addresses of files of the
 * repository. Throws what `node:fs` throws.
 */
export function deadMarkdownLinks(root: string, files: readonly string[]): DeadLink[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file) ?? headingAnchors(readFileSync(join(root, file), 'utf8'));
    anchors.set(file, known);
    return known;
  };
  return files.flatMap((file) =>
    linksIn(readFileSync(join(root, file), 'utf8')).flatMap((target): DeadLink[] => {
      const isOwn = ownAddress.test(target);
      if (!isOwn && !isRelative(target)) return [];
      const [path = '', anchor = ''] = target.replace(ownAddress, '').split('#', 2);
      const folder = isOwn ? '' : dirname(file);
      const linked = path === '' ? file : normalize(join(folder, decodeURIComponent(path)));
      if (linked.startsWith('..')) return [{ file, target, reason: 'leaves the repository' }];
      if (!existsSync(join(root, linked))) return [{ file, target, reason: 'no such file' }];
      if (anchor === '' || !linked.endsWith('.md') || statSync(join(root, linked)).isDirectory()) return [];
      return anchorsOf(linked).has(anchor) ? [] : [{ file, target, reason: 'no such anchor' }];
    }),
  );
}

/** Targets of links and images without a scheme, outside code. */
export const relativeLinks = (markdown: string): string[] => linksIn(markdown).filter(isRelative);

const isRelative = (target: string) => !/^[a-z][a-z+.-]*:/i.test(target);

function linksIn(markdown: string): string[] {
  const text = withoutCode(markdown);
  return [
    ...text.matchAll(/\]\(<?([^()\s<>]+)>?(?: "[^"\n]*")?\)/g),
    ...text.matchAll(/^\[[^\]\n]+\]: <?([^\s<>]+)/gm),
    ...text.matchAll(/ (?:src|srcset|href)="([^"\n]+)"/g),
  ].map(([, target = '']) => target);
}

/** The anchors that GitHub gives to the headings, and those that are written as HTML. */
export function headingAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^#{1,6} +(.+?)(?: +#*)?$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of withoutCode(markdown).matchAll(/<\w+ (?:id|name)="([^"\n]+)"/g)) anchors.add(id);
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, '');
}

/** Blocks of code may be indented, as in lists. */
function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^ *(```+|~~~+)[^\n]*\n(?:[^\n]*\n)*? *\1 *$/gm, '');
}
