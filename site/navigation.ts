import { Application, Converter, type DocumentReflection, ReflectionKind } from 'typedoc';

/** Categories of the navigation with the documents in each. The first that matches counts. */
const categories: readonly (readonly [name: string, documents: RegExp])[] = [
  ['Guides', /^docs\/(guides\/|troubleshooting$)/],
  ['Hosting', /^(docs\/hosting\/|deploy\/)/],
  [
    'Building on it',
    /^(packages\/|examples\/|docs\/(any-language|errors|handlers|library|local-discord|receiver|service|testing-bots|webhooks-out)$)/,
  ],
  ['Project', /^(ARCHITECTURE|CHANGELOG|CONTRIBUTING|bench\/|docs\/(decisions|extending|flows))/],
  ['Manual', /^docs\//],
];

/** The part of markdown-it that is set. */
interface Linkifying {
  readonly linkify: { readonly set: (options: { readonly fuzzyLink: boolean }) => void };
}

/**
 * A TypeDoc plug-in: names each module as it is imported (`tallyhook/client` for src/exports/client.ts), and each document
 * by its heading, in a category. TypeDoc would use the paths of the files. It calls `load`.
 */
export function load(app: Application): void {
  // `top.gg` and `discord.py` are names, not links. Options are read after plug-ins are loaded, and would be lost before.
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue('markdownItLoader', (parser: Linkifying) => parser.linkify.set({ fuzzyLink: false }));
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      module.name = module.name === 'src' ? 'tallyhook' : module.name.replace('src/exports/', 'tallyhook/');
    }
    for (const document of project.documents ?? []) {
      // A link to a folder leads to its README, as on GitHub. TypeDoc knows files only.
      const path = project.files.getReflectionPath(document);
      if (path?.endsWith('/README.md')) {
        const folder = path.slice(0, -'README.md'.length);
        for (const name of [folder, folder.slice(0, -1)]) {
          project.files.registerReflectionPath(name as typeof path, document);
        }
      }
      document.frontmatter['category'] = categoryOf(document.name);
      document.name = headingOf(document);
    }
  });
}

function categoryOf(path: string): string {
  const [name] = categories.find(([, documents]) => documents.test(path)) ?? [];
  if (name === undefined) throw new Error(`Add ${path}.md to a category in site/navigation.ts.`);
  return name;
}

function headingOf({ name, content }: DocumentReflection): string {
  const [, heading] = /^# (.+)$/m.exec(content.map(({ text }) => text).join('')) ?? [];
  if (heading === undefined) throw new Error(`${name}.md has no heading.`);
  return heading.replaceAll('`', '');
}
