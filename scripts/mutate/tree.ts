import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutation, mutate } from './mutation.ts';

/** A copy of the checkout, in which one file at a time is mutated. */
export class Tree {
  /** Short, because paths of sockets have at most 107 bytes. */
  readonly #folder = mkdtempSync(join(realpathSync(tmpdir()), 'mutate-'));
  readonly root = join(this.#folder, 'tree');
  /** Temporary files of the tests. */
  readonly temporary = join(this.#folder, 'tmp');

  /** Copies a checkout with the changes that are not committed yet. It shares the objects of Git, and the packages. */
  constructor(checkout: string) {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' });
    // For the servers that tests of the user root start as another user.
    chmodSync(this.#folder, 0o711);
    mkdirSync(this.temporary);
    chmodSync(this.temporary, 0o1777);
    git('clone', '--quiet', '--shared', checkout, this.root);
    const changed = git('ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard');
    for (const file of new Set(changed.split('\0').filter((each) => each !== ''))) {
      rmSync(join(this.root, file), { force: true });
      if (existsSync(join(checkout, file))) cpSync(join(checkout, file), join(this.root, file));
    }
    // A folder of its own, because the tests cache the bundle of the sources there.
    const packages = join(checkout, 'node_modules');
    mkdirSync(join(this.root, 'node_modules'));
    for (const entry of readdirSync(packages, { withFileTypes: true })) {
      const [from, to] = [join(packages, entry.name), join(this.root, 'node_modules', entry.name)];
      if (entry.name === '.cache') continue;
      // The packages of the repository are links themselves, which lead into the copy.
      if (entry.name === '@tallyhook' || entry.isSymbolicLink())
        cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      else symlinkSync(from, to);
    }
  }

  /** Calls a function while the mutation is in its file. */
  async with<T>(mutation: Mutation, run: () => Promise<T>): Promise<T> {
    const path = join(this.root, mutation.file);
    const content = readFileSync(path, 'utf8');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, mutate(content, mutation));
    try {
      return await run();
    } finally {
      writeFileSync(path, content);
      // The bundle of the sources without mutation is found by the time of their newest change.
      utimesSync(path, atime, mtime);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
