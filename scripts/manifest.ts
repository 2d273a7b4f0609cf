/**
 * `node scripts/manifest.ts strip` before npm packs, and `restore` after it: what package.json has for a clone alone would make
 * npm warn of install scripts, and yarn of workspaces.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../package.json', import.meta.url));
/** Beside the build, so that a copy that an interrupted `npm pack` leaves is in no commit. */
const original = fileURLToPath(new URL('../dist/package.json', import.meta.url));

const ofClone = ['workspaces', 'scripts', 'devDependencies', 'allowScripts', 'overrides'];

/** What users of the package need of a package.json. */
export function publishedManifest(text: string): Record<string, unknown> & { readonly files: readonly string[] } {
  const { files, ...manifest } = JSON.parse(text);
  for (const name of ofClone) delete manifest[name];
  return { ...manifest, files };
}

function strip(): void {
  const text = readFileSync(path, 'utf8');
  mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true });
  writeFileSync(original, text);
  writeFileSync(path, `${JSON.stringify(publishedManifest(text), null, 2)}\n`);
}

/** Does nothing if it was not stripped. */
function restore(): void {
  if (existsSync(original)) renameSync(original, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'strip') strip();
  else restore();
}
