import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { generateKeyText, parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { keyIdOf, seal, unseal } from '@tallyhook/platform/encryption/sealed-text';
import { openSqlite } from '@tallyhook/platform/sqlite';
import { killedAtCommit } from '@tallyhook/platform/testing/kill-itself';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { tokenContext } from '../../src/features/linked-roles/store.ts';
import { openStore } from '../../src/features/store.ts';
import { runCommand } from '../support/command-line.ts';
import { startProgram } from '../support/start-program.ts';

const members = 300;
const places = ['access_token', 'refresh_token'] as const;

it('encrypts the tokens of linked members with another key, although it is killed', { timeout: 120_000 }, async () => {
  const directory = tempDir();
  const path = join(directory, 'tally.db');
  const [SETTINGS_KEY, NEW_SETTINGS_KEY] = [generateKeyText(), generateKeyText()];
  const [oldKey, newKey] = [parseEncryptionKey(SETTINGS_KEY), parseEncryptionKey(NEW_SETTINGS_KEY)];
  if (oldKey === null || newKey === null) throw new Error('no keys');
  await (await openStore(`sqlite:${path}`, systemClock, { thread: false })).close();
  const database = openSqlite(path, { busyTimeoutMs: 5_000 });
  database.exec(`begin; insert into settings_state (id, version, key_id) values (1, 0, '${oldKey.id}')`);
  const insert = database.prepare(
    "insert into linked_members (user_id, access_token, refresh_token, expires_at, locale, linked_at) values (?, ?, ?, 0, 'de', 0)",
  );
  for (let index = 0; index < members; index += 1) {
    const userId = String(index);
    const [access, refresh] = places.map((place) => seal(oldKey, `${place} of ${userId}`, tokenContext(userId, place)));
    insert.run(userId, access ?? '', refresh ?? '');
  }
  database.exec('commit');
  const rows = () => database.prepare('select user_id, access_token, refresh_token from linked_members').all();
  const resealed = () =>
    rows().flatMap((row) => places.filter((place) => keyIdOf(String(row[place])) === newKey.id)).length;

  const environment = { DATABASE_URL: `sqlite:${path}`, SETTINGS_KEY, NEW_SETTINGS_KEY };
  const killed = startProgram(['rekey'], { ...environment, ...killedAtCommit(4) }, directory);
  expect(await killed.ended).toBe('SIGKILL');
  const before = resealed();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(2 * members);

  const again = await runCommand(['rekey'], environment, directory);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`${(2 * members - before).toLocaleString('en-US')} secrets encrypted again`);
  const json = await runCommand(['rekey', '--json'], environment, directory);
  expect(JSON.parse(json.stdout)).toEqual({ key: newKey.id, rekeyed: 0 });
  for (const row of rows()) {
    const userId = String(row['user_id']);
    for (const place of places) {
      const token = unseal(newKey, String(row[place]), tokenContext(userId, place));
      expect(token).toBe(`${place} of ${userId}`);
    }
  }
  database.close();
});
