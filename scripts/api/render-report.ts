import ts from 'typescript-5.9';
import { declarationsOf, type PublicApi, textsOf } from './public-api.ts';

const printer = ts.createPrinter({ removeComments: true });

/** The API of an entry as Markdown: every export in alphabetical order, without comments. */
export function renderReport({ entry, exports, packages }: PublicApi, checker: ts.TypeChecker): string {
  const declarations = [...exports].map(([name, symbol]) => renderExport(name, symbol, checker));
  return [
    `# ${entry.name}`,
    'Created from the declarations by `npm run api`. A change in this file is a change of the public API.',
    `Packages whose types it uses: ${packages.join(', ') || 'none'}.`,
    ['```ts', declarations.join('\n\n'), '```'].join('\n'),
    '',
  ].join('\n\n');
}

function renderExport(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return declarationsOf(symbol)
    .map((declaration) => renderDeclaration(name, declaration, checker))
    .join('\n');
}

function renderDeclaration(name: string, declaration: ts.Declaration, checker: ts.TypeChecker): string {
  const texts = ts.isTypeAliasDeclaration(declaration) ? textsOf(checker.getTypeAtLocation(declaration)) : null;
  if (texts !== null) return `type ${name} = ${texts.map((text) => `'${text}'`).join(' | ')};`;
  if (ts.isTypeAliasDeclaration(declaration) && hasTypeQuery(declaration.type)) {
    const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.TypeFormatFlags;
    const type = checker.getTypeAtLocation(declaration.name);
    return `type ${name} = ${checker.typeToString(type, declaration, NoTruncation | InTypeAlias | MultilineObjectLiterals)};`;
  }
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  return text
    .replace(/^export (default )?(declare )?/, '')
    .replace(/^ {4,}/gm, (indent) => ' '.repeat(indent.length / 2));
}

function hasTypeQuery(node: ts.Node): boolean {
  return ts.isTypeQueryNode(node) || (ts.forEachChild(node, hasTypeQuery) ?? false);
}
