import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Adds a file with the licences of all bundled packages, as most of them require. */
export function notices(fileName: string): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundled) {
      const modules = Object.values(bundled).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const packages = new Set(modules.filter((id) => id.includes('/node_modules/')).map(packageOf));
      // Many have the same text.
      const byText = Map.groupBy([...packages].toSorted(), textOf);
      const source = [...byText].map(([text, folders]) => `${folders.map(titleOf).join('\n')}\n\n${text}`).join('\n\n');
      this.emitFile({ type: 'asset', fileName, source: `${source}\n` });
    },
  };
}

/** The folder of a module's package: some packages have nested package.json files without a version. */
function packageOf(id: string): string {
  for (let folder = dirname(id); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && manifestOf(folder).version !== undefined) return folder;
  }
  throw new Error(`${id} belongs to no package.`);
}

function titleOf(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  return `${name} ${version} (${license})`;
}

function textOf(folder: string): string {
  const files = globSync('{LICEN[CS]E,licen[cs]e,NOTICE}*', { cwd: folder });
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

function manifestOf(folder: string): { name?: string; version?: string; license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
