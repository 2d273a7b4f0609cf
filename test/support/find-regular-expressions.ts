import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** A regular expression literal in the source. */
export interface RegularExpression {
  readonly path: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Finds every regular expression literal of the program, and the files that call `RegExp` at run time. */
export function findRegularExpressions(): { literals: readonly RegularExpression[]; dynamic: readonly string[] } {
  const literals: RegularExpression[] = [];
  const dynamic = new Set<string>();
  for (const path of globSync('{packages/*/src,src,commands,config}/**/*.ts').sort()) {
    visit(parseAst(readFileSync(path, 'utf8'), { lang: 'ts' }), (node) => {
      const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } };
      if (regex) literals.push({ path, pattern: regex.pattern, flags: regex.flags });
      if (callee?.name === 'RegExp') dynamic.add(path);
    });
  }
  return { literals, dynamic: [...dynamic] };
}

function visit(node: unknown, onNode: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  onNode(node);
  for (const child of Object.values(node)) visit(child, onNode);
}
