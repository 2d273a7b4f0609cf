import { chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { generateKeyText } from '@tallyhook/platform/encryption/encryption-key';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../src/features/store.ts';
import { runCommand } from '../support/command-line.ts';
import { diagnose } from '../support/diagnose.ts';
import { premiumSecret, voteSecret } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { setupOver } from '../support/setup-over.ts';
import { postVote, startApp } from '../support/start-app.ts';

const author = { guildId: '123456789012345678', authorId: '1', interactionId: '2' };
const linkedSecret = 'secret-of-the-linked-listing';

/** A database with a listing that was linked in Discord, beside the operator's own one, and its key file. */
async function createInstallation() {
  const directory = tempDir();
  const environment = {
    TALLYHOOK_ROLES: 'receive',
    ...{ DATABASE_URL: newSqliteUrl(join(directory, 'tallyhook.db')) },
    ...{ VOTE_WEBHOOK_SECRET: voteSecret, PREMIUM_WEBHOOK_SECRET: premiumSecret },
  };
  const { encryption } = loadConfig(environment);
  const store = await openStore(environment.DATABASE_URL, systemClock, { thread: false });
  const setup = setupOver(store, { ...environment, SETTINGS_KEY: '' });
  const secrets = { lookupKey: null, voteSecret: linkedSecret };
  const linked = await setup.link({ ...author, kind: 'server', targetId: null, ...secrets });
  await store.close();
  if (linked.status !== 'linked') throw new Error('not linked');
  return { directory, environment, keyFile: encryption.keyFile ?? '', linkedName: linked.listing.name };
}

const voteAt = async (url: string, path: string, secret: string) =>
  (await postVote(url, '42', { path, secret })).status;

const damages: Readonly<Record<string, (keyFile: string) => void>> = {
  'is truncated': (keyFile) => truncateSync(keyFile, 40),
  'is missing': (keyFile) => rmSync(keyFile),
  'has another key': (keyFile) => writeFileSync(keyFile, `${generateKeyText()}\n`),
};

describe('a key file that', { timeout: 120_000 }, () => {
  it.each(Object.keys(damages))(
    '%s stops only the listings that were linked in Discord, and /readyz, the log and the doctor say so',
    async (damage) => {
      const { environment, keyFile, linkedName } = await createInstallation();
      damages[damage]?.(keyFile);
      const { url, lines } = await startApp(environment);
      expect(await voteAt(url, '/webhooks/vote', voteSecret)).toBe(200);
      expect(await voteAt(url, `/webhooks/${linkedName}/vote`, linkedSecret)).toBe(503);

      const whole = await fetch(`${url}/readyz`);
      const reason = 'the key of the webhook secrets of 1 listing is missing';
      expect(whole.status).toBe(503);
      expect(await whole.json()).toMatchObject({
        parts: { store: { ready: true }, settings: { ready: false, reason } },
      });
      const receive = await fetch(`${url}/readyz?role=receive`);
      expect(receive.status).toBe(200);
      expect(await receive.json()).toEqual({ ready: true, parts: { store: { ready: true } } });

      expect(lines.join('')).toContain(keyFile);
      const { findingsOf, results } = await diagnose({ ...environment, PORT: new URL(url).port });
      expect(findingsOf('settings')).toEqual([expect.stringMatching(/^fail: The key of the secrets .* is missing/)]);
      expect(results.find(({ check }) => check === 'settings')?.hint).toContain(keyFile);
    },
  );

  it('can be read by others is restricted, with a warning, and everything is received', async () => {
    const { directory, environment, keyFile, linkedName } = await createInstallation();
    const text = readFileSync(keyFile, 'utf8');
    chmodSync(keyFile, 0o644);
    // The directory of a test is private, which protects the file as well.
    chmodSync(directory, 0o755);
    const { findingsOf } = await diagnose(environment);
    expect(findingsOf('settings')).toEqual([expect.stringMatching(/^pass: /)]);
    expect(findingsOf('files')).toEqual([`warn: Every user of this machine can read ${keyFile}.`]);
    expect(statSync(keyFile).mode & 0o777).toBe(0o644);

    const { url, lines } = await startApp(environment);
    expect(await voteAt(url, '/webhooks/vote', voteSecret)).toBe(200);
    expect(await voteAt(url, `/webhooks/${linkedName}/vote`, linkedSecret)).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, 'utf8')).toBe(text);
    const warnings = lines.filter((line) => line.includes('"level":40') && line.includes(keyFile));
    expect(warnings).toHaveLength(1);
    expect(lines.join('')).not.toContain(text.trim());
  });

  it('is replaced by `rekey`', async () => {
    const { environment, keyFile, linkedName } = await createInstallation();
    const before = readFileSync(keyFile, 'utf8');
    expect(await runCommand(['rekey'], environment)).toMatchObject({ code: 0 });
    expect(readFileSync(keyFile, 'utf8')).not.toBe(before);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const { url } = await startApp(environment);
    expect(await voteAt(url, `/webhooks/${linkedName}/vote`, linkedSecret)).toBe(200);
  });
});
