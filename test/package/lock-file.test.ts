import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version: string;
        readonly dev?: boolean;
        readonly hasInstallScript?: boolean;
        readonly resolved?: string;
      }
    >
  >;
}

const { packages }: Lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8'));

it('names neither packages that run scripts for users nor pre-releases, and no other registry', () => {
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  expect(installed.filter(([, { version }]) => version.includes('-'))).toEqual([]);
  const hosts = Object.values(packages).flatMap(({ resolved }) =>
    resolved === undefined ? [] : [new URL(resolved).host],
  );
  expect(hosts.filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
});
