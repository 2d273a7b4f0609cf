import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;

/** The versions of tallyhook and of the packages that it is compared with; package.json pins them. */
export function versions(packages: readonly string[]): string {
  const { version, dependencies, devDependencies, optionalDependencies } = manifest;
  const pinned: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies, ...optionalDependencies };
  return [
    `tallyhook ${version} with SQLite ${process.versions['sqlite'] ?? 'unknown'}`,
    ...packages.map((name) => `${name} ${pinned[name] ?? 'of an unknown version'}`),
  ].join(', ');
}
