import ts from 'typescript-5.9';
import { declarationsOf, type PublicApi } from './public-api.ts';

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
