import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of what a file of the repository imports: another of its files, or of one of its packages. */
export function resolveImport(specifier: string, importer: string): string {
  return specifier.startsWith('.') ? join(dirname(importer), specifier) : fileURLToPath(import.meta.resolve(specifier));
}
