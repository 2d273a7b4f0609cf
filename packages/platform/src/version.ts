import { readFileSync } from 'node:fs';

/** The version, which all packages share: it is in the package.json above the sources, and above that of a bundle. */
export function readVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
    } catch {
      // It is not needed to run.
    }
  }
  return 'unknown';
}
