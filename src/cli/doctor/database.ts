import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { checkIntegrity, type DatabaseNames, evaluateStatus } from '@tallyhook/platform/doctor/database';
import { createEncryption, KeyMissingError, type KeySources } from '@tallyhook/platform/encryption/encryption';
import { readKeyFile } from '@tallyhook/platform/encryption/key-file';
import { messageOf } from '@tallyhook/platform/errors';
import type { Installation, InstallationCheck } from './installation.ts';

const names: DatabaseNames = {
  setting: 'DATABASE_URL',
  backup: 'tallyhook backup FILE',
  restore: 'tallyhook restore FILE',
  program: 'tallyhook',
};

/** Checks that the database can be used: its version, a write, and its file. */
export const databaseCheck: InstallationCheck = {
  name: 'database',
  async run({ config, status, store, snapshot }) {
    const path = sqlitePathOf(config.databaseUrl);
    return [
      evaluateStatus(status, names),
      ...(status.state === 'current' ? [await checkWritable(store)] : []),
      ...(snapshot === null || path === null ? [] : [await checkIntegrity(snapshot, path, names)]),
    ];
  },
};

async function checkWritable(store: Installation['store']): Promise<Finding> {
  const hint =
    'Check the free disk space, the write permissions of the file and its directory, and whether another program holds a lock.';
  if (store === null) return fail('The database cannot be opened for writing.', hint);
  try {
    await store.probe();
    return pass('The database is writable.');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
    return fail(`The database is not writable${cause}.`, hint);
  }
}

/** Checks that the secrets that were entered in Discord can be decrypted. */
export const settingsKeyCheck: InstallationCheck = {
  name: 'settings',
  async run({ config, effective, store, snapshot }) {
    if (store === null || snapshot === null) return [];
    const { keyId } = await store.settings.state();
    if (keyId === null) return evaluateUnusedKeyFile(config.encryption);
    try {
      createEncryption(config.encryption).keyFor(keyId);
      const damaged = effective.unreadable.filter(({ isKeyMissing }) => !isKeyMissing);
      if (damaged.length > 0) return damaged.slice(0, maxDamaged).map(evaluateDamaged);
      return [pass('The key of the secrets that were entered in Discord is available.')];
    } catch (error) {
      if (!(error instanceof KeyMissingError)) throw error;
      const message =
        'The key of the secrets that were entered in Discord is missing: listings linked there receive nothing.';
      return [fail(message, error.hint ?? '')];
    }
  },
};

/** Damaged secrets that are listed. */
const maxDamaged = 10;

function evaluateDamaged({ guildId, listing, path, hint }: Installation['effective']['unreadable'][number]): Finding {
  const owner = listing === '' ? `the server ${guildId}` : `${listing} in the server ${guildId}`;
  return fail(`The stored ${path} of ${owner} cannot be decrypted: its text is damaged.`, hint);
}

/** Evaluates a key file on which nothing depends yet, but the first secret would. */
function evaluateUnusedKeyFile({ keyFile }: KeySources): Finding[] {
  const file = keyFile === null ? null : readKeyFile(keyFile);
  if (file?.state !== 'unusable') return [];
  const { problem, hint } = file.issue;
  return [warn(`${problem} No listing can be linked in Discord.`, hint)];
}
