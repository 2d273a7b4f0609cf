import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';
import type { Entry } from '../entries.ts';

/** What an entry exports, and what its exports mention. */
export interface PublicApi {
  readonly entry: Entry;
  /** By name, in alphabetical order. */
  readonly exports: ReadonlyMap<string, ts.Symbol>;
  /** Types of the package that a signature mentions but no entry exports, with the export that mentions them. */
  readonly unexported: ReadonlyMap<string, string>;
  /** Packages whose types a signature mentions, in alphabetical order. */
  readonly packages: readonly string[];
}

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** TypeScript 7 has no API for programs; the declarations are the same. */
export function createProgram(files: readonly string[], options: ts.CompilerOptions = {}): ts.Program {
  return ts.createProgram(files, {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts', 'lib.esnext.error.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    ...options,
  });
}

/** Reads the API of each entry from its declarations. A type may be exported by another entry than its user. */
export function readApis(entries: readonly Entry[], program: ts.Program): readonly PublicApi[] {
  const checker = program.getTypeChecker();
  const withExports = entries.map((entry) => ({ entry, exports: exportsOf(entry, program, checker) }));
  const exported = new Set(withExports.flatMap(({ exports }) => [...exports.values()]));
  return withExports.map(({ entry, exports }) => ({ entry, exports, ...mentions(exports, exported, checker) }));
}

function exportsOf(entry: Entry, program: ts.Program, checker: ts.TypeChecker): ReadonlyMap<string, ts.Symbol> {
  const file = program.getSourceFile(entry.declarations);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${entry.declarations} is missing: run "npm run build".`);
  return new Map(
    checker
      .getExportsOfModule(module)
      .map((symbol): [string, ts.Symbol] => [symbol.name, resolveAlias(symbol, checker)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function mentions(
  exports: ReadonlyMap<string, ts.Symbol>,
  exported: ReadonlySet<ts.Symbol>,
  checker: ts.TypeChecker,
): Pick<PublicApi, 'unexported' | 'packages'> {
  const unexported = new Map<string, string>();
  const packages = new Set<string>();
  for (const [name, symbol] of exports) {
    for (const mentioned of mentionedBy(symbol, checker)) {
      const origin = originOf(mentioned);
      if (origin === 'language') continue;
      if (origin !== 'ours') packages.add(origin);
      else if (!exported.has(mentioned)) unexported.set(mentioned.name, name);
    }
  }
  return { unexported, packages: [...packages].toSorted() };
}

/** The declarations of a symbol that users see; in a merged one, those of each part. */
export function declarationsOf(symbol: ts.Symbol): readonly ts.Declaration[] {
  return symbol.declarations ?? [];
}

function resolveAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The texts of a type that is a union of texts and nothing else; null for any other type. */
export function textsOf(type: ts.Type): readonly string[] | null {
  const parts = type.isUnion() ? type.types : [];
  const texts = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
  return texts.length > 0 && texts.length === parts.length ? texts.toSorted() : null;
}

/**
 * The named types in the declarations of a symbol. Unions of texts, and types behind `typeof`, are expanded in the report
 * instead.
 */
function mentionedBy(symbol: ts.Symbol, checker: ts.TypeChecker): ReadonlySet<ts.Symbol> {
  const mentioned = new Set<ts.Symbol>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeQueryNode(node) || isPrivate(node)) return;
    if (ts.isTypeReferenceNode(node) && textsOf(checker.getTypeAtLocation(node)) !== null) return;
    if (ts.isTypeReferenceNode(node)) add(node.typeName);
    if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
    ts.forEachChild(node, visit);
  };
  const add = (name: ts.Node): void => {
    const found = checker.getSymbolAtLocation(name);
    if (found === undefined || found.flags & ts.SymbolFlags.TypeParameter) return;
    mentioned.add(resolveAlias(found, checker));
  };
  for (const declaration of declarationsOf(symbol)) visit(declaration);
  return mentioned;
}

function isPrivate(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}

/** Where a type comes from: this package, TypeScript's library, or the package of that name. */
function originOf(symbol: ts.Symbol): string {
  const path = declarationsOf(symbol)[0]?.getSourceFile().fileName ?? '';
  if (path.startsWith(dist)) return 'ours';
  const name = path.split('/node_modules/').at(-1)?.split('/') ?? [];
  if (name[0]?.startsWith('typescript') || name.length === 0) return 'language';
  const [first = '', second = ''] = name;
  return first.startsWith('@') ? `${first}/${second}` : first;
}

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
    const text = checker.typeToString(type, declaration, NoTruncation | InTypeAlias | MultilineObjectLiterals);
    return `type ${name} = ${text.replace(literalUnion, (union) => union.split(' | ').toSorted().join(' | '))};`;
  }
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  return text
    .replace(/^export (default )?(declare )?/, '')
    .replace(/^ {4,}/gm, (indent) => ' '.repeat(indent.length / 2));
}

/** Literals in the order in which the compiler met them first, which code elsewhere changes. */
const literalUnion = /(?:"[^"]*"|\d+)(?: \| (?:"[^"]*"|\d+))+/g;

function hasTypeQuery(node: ts.Node): boolean {
  return ts.isTypeQueryNode(node) || (ts.forEachChild(node, hasTypeQuery) ?? false);
}

/** References to a document that users of the package do not have. */
const foreignReference = /\bthe document\b|\(document\b|\bsections? \d|\.ts\b|\bARCHITECTURE\b/i;

/** Errors in the docstrings of exports: none, no example of a function, or a reference that users cannot follow. */
export function checkDocstrings(apis: readonly PublicApi[]): string[] {
  const errors = new Set<string>();
  for (const { entry, exports } of apis) {
    for (const [name, symbol] of exports) {
      for (const declaration of declarationsOf(symbol)) {
        const comments = commentsIn(declaration);
        const reference = comments.find((comment) => foreignReference.test(comment));
        if (reference !== undefined)
          errors.add(`${name}: its docstring refers to what users do not have: ${reference}`);
      }
      if (isFunction(symbol) && examplesOf(symbol).length === 0) errors.add(`${entry.name}: ${name} has no @example.`);
    }
  }
  return [...errors];
}

/** The code of the `@example` tags of an export, without fences. */
export function examplesOf(symbol: ts.Symbol): readonly string[] {
  return symbol
    .getJsDocTags()
    .filter(({ name }) => name === 'example')
    .map(({ text }) => ts.displayPartsToString(text).replace(/^```\w*\n|\n?```\s*$/g, ''));
}

function isFunction(symbol: ts.Symbol): boolean {
  return (symbol.flags & ts.SymbolFlags.Function) !== 0;
}

function commentsIn(declaration: ts.Declaration): string[] {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return node.getFullText().match(/\/\*\*.*?\*\//gs) ?? [];
}
