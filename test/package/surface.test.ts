import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../scripts/entries.ts';
import { resolveImport } from '../support/resolve-import.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(path, 'utf8');

/** An export of a file. */
interface Export {
  readonly name: string;
  /** The docstring where it is declared. */
  readonly docstring: string;
}

/** The exports of a file that only exports what it imports from elsewhere. */
function exportsOf(path: string): readonly Export[] {
  const lists = read(path).matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm);
  return [...lists].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .filter((name) => name.trim() !== '')
      .map((name) => {
        const [declared = '', exported = declared] = name
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        return { name: exported, docstring: docstringOf(declared, resolveImport(from, path)) };
      }),
  );
}

function docstringOf(name: string, path: string): string {
  const code = read(path);
  const words = '(?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const)';
  const declaration = new RegExp(`((?:/\\*\\*(?:(?!\\*/).)*?\\*/\\n)?)export ${words} ${name}\\b`, 's').exec(code);
  if (declaration !== null) return declaration[1] ?? '';
  const reexport = exportsOf(path).find((each) => each.name === name);
  if (reexport === undefined) throw new Error(`${path} does not declare ${name}.`);
  return reexport.docstring;
}

const sources = readEntries().map(({ name, shortName }) => {
  return [name, join(root, shortName === 'index' ? 'src/index.ts' : `src/exports/${shortName}.ts`)] as const;
});

describe('the exports of', () => {
  it('tallyhook are few enough to read', () => {
    expect(exportsOf(join(root, 'src/index.ts')).length).toBeLessThanOrEqual(60);
  });

  it.each(sources)('%s have docstrings', (_name, path) => {
    const undocumented = exportsOf(path).filter(({ docstring }) => !/\w/.test(docstring.replace(/@\w+ .*/g, '')));
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  });

  it.each(sources.filter(([name]) => /^tallyhook(\/client|\/discord|\/receiver)?$/.test(name)))(
    '%s are in a category of the reference',
    (_name, path) => {
      const exports = exportsOf(path).filter(({ docstring }) => !/@category \w/.test(docstring));
      expect(exports.map(({ name }) => name)).toEqual([]);
    },
  );
});
