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
  return texts.length > 0 && texts.length === parts.length ? texts : null;
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
