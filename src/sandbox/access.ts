import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createPrivateFile } from '@tallyhook/platform/create-private-file';
import { isObject, parseJson } from '@tallyhook/platform/json';

/** How to reach the bot of a sandbox on this machine. */
export interface SandboxAccess {
  readonly url: string;
  readonly token: string;
}

const path = () => join(tmpdir(), `tallyhook-sandbox-${userInfo().username}.json`);

/**
 * Notes how to reach the bot for other commands of the same user, while the sandbox runs. Returns what removes the note.
 * Without a place to write it, there is none.
 */
export function noteSandboxAccess(access: SandboxAccess): () => void {
  const text = JSON.stringify(access);
  try {
    rmSync(path(), { force: true });
    createPrivateFile(path());
    chmodSync(path(), 0o600);
    writeFileSync(path(), text);
  } catch {
    return () => {};
  }
  return () => {
    // That of a later sandbox stays.
    if (readFile() === text) rmSync(path(), { force: true });
  };
}

/** Null if no sandbox runs on this machine. */
export function readSandboxAccess(): SandboxAccess | null {
  const value = parseJson(readFile());
  if (!isObject(value)) return null;
  const { url, token } = value;
  return typeof url === 'string' && typeof token === 'string' ? { url, token } : null;
}

function readFile(): string {
  try {
    return readFileSync(path(), 'utf8');
  } catch {
    return '';
  }
}
