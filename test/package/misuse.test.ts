import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLookup, InvalidConfigError as LookupConfigError } from '../../src/exports/client.ts';
import { createReceiver, InvalidConfigError, TallyhookError } from '../../src/exports/receiver.ts';
import { startService } from '../../src/exports/sandbox.ts';
import { TallyhookError as VerifyError, verify } from '../../src/exports/verify.ts';
import { createApp, createLog, loadConfig, sign, systemClock } from '../../src/index.ts';
import { botToken } from '../support/bot-token.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

/** Calls a function as a program without a type checker does. */
async function errorOf(call: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<TallyhookError> {
  try {
    await (call as (...args: readonly unknown[]) => unknown)(...args);
  } catch (error) {
    if (error instanceof TallyhookError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

const issuesOf = async (call: (...args: never[]) => unknown, ...args: readonly unknown[]) => {
  const error = await errorOf(call, ...args);
  if (!(error instanceof InvalidConfigError)) throw error;
  // The words of the schema library.
  expect(error.message).not.toMatch(/expected|received|Too (small|big)|Unrecognized|undefined/);
  return error.issues;
};

const log = createLog({ level: 'silent', secrets: [] });
const listings = [{ name: 'my-server', kind: 'server', id: '1', voteSecrets: ['secret'] }] as const;
const receiving = { listings, database: ':memory:', port: 0, log } as const;
const lookingUp = { kind: 'server', baseUrl: 'http://127.0.0.1:1/api/v1', key: 'the-key' } as const;
const config = () => loadConfig({ ...settings(unreachableDiscord), CACHE_URL: 'memory:' });

describe('createReceiver', () => {
  it.each([
    [{ databse: 'votes.db' }, 'databse', 'Did you mean database?'],
    [{ handlers: { onVotes() {} } }, 'handlers.onVotes', 'Did you mean onVote?'],
    [{ handlers: { onPurchase() {} } }, 'handlers.onPurchase', 'Only the bot (createApp) calls it.'],
    [{ listings: [{ ...listings[0], voteSecret: 'x' }] }, 'listings[0].voteSecret', 'Did you mean voteSecrets?'],
    [{ onVote() {} }, 'onVote', 'Did you mean handlers.onVote? Pass handlers: { onVote }.'],
  ])('names an unknown option and what it probably means: %j', async (changes, setting, hint) => {
    const problem = 'is not an option of createReceiver.';
    const path = setting.split(/[.[\]]+/).map((part) => (part === '0' ? 0 : part));
    expect(await issuesOf(createReceiver, { ...receiving, ...changes })).toEqual([{ setting, problem, hint, path }]);
  });

  it.each([
    [{ handlers: { onVote: 5 } }, 'handlers.onVote is invalid: it must be a function.'],
    [{ handlers: { concurrency: 0 } }, 'handlers.concurrency is invalid: it must be at least 1.'],
    [{ port: 70_000 }, 'port is invalid: it must be at most 65535.'],
    [
      { log: console.log },
      'log is invalid: it must be a logger with the functions debug, info, warn and error, as console is.',
    ],
    [{ database: 5 }, 'database is invalid: it must be the path of a file.'],
    [
      { listings: [{ ...listings[0], cooldownHours: 0 }] },
      'listings[0].cooldownHours is invalid: it must be more than 0.',
    ],
  ])('rejects an option of a wrong type: %j', async (changes, expected) => {
    const issues = await issuesOf(createReceiver, { ...receiving, ...changes });
    expect(issues.map(({ setting, problem }) => `${setting} ${problem}`)).toEqual([expected]);
  });

  it('says how to write one secret, and which name two listings have', async () => {
    const [listing] = listings;
    expect(
      await issuesOf(createReceiver, { ...receiving, listings: [{ ...listing, voteSecrets: 'x' }] }),
    ).toMatchObject([
      { setting: 'listings[0].voteSecrets', hint: "Write a list, also of a single secret: voteSecrets: ['…']." },
    ]);
    expect(await issuesOf(createReceiver, { ...receiving, listings: [listing, listing] })).toMatchObject([
      {
        problem: 'is invalid: two listings have the same name, "my-server".',
        hint: 'Give each listing a name of its own.',
      },
    ]);
  });

  it('reports all issues together, with the code', async () => {
    const error = await errorOf(createReceiver, { listings: [{ voteSecrets: ['private'] }], prot: 0 });
    expect(error).toMatchObject({ code: 'invalid_options', name: 'InvalidConfigError' });
    expect(error).toBeInstanceOf(TallyhookError);
    expect(error.message).toContain('Invalid options of createReceiver (4 issues):\n');
    expect(error.message).not.toContain('private');
    expect(await issuesOf(createReceiver)).toMatchObject([{ setting: 'options' }]);
  });

  it('says what to do about a secret from a variable that is not set', async () => {
    const unset = [{ name: 'my-server', kind: 'server', voteSecrets: [process.env['UNSET_SECRET']] }];
    expect(await issuesOf(createReceiver, { ...receiving, listings: unset })).toEqual([
      {
        setting: 'listings[0].voteSecrets[0]',
        problem: 'is missing: a text: "…" is required.',
        hint: 'Set it to a secret of the listing "my-server". If it comes from an environment variable, that variable is empty or not set.',
        path: ['listings', 0, 'voteSecrets', 0],
      },
    ]);
  });

  it('asks where to store the votes, and stores them there', async () => {
    const { database: _database, ...without } = receiving;
    expect(await issuesOf(createReceiver, without)).toMatchObject([
      { setting: 'database', hint: expect.stringMatching(/database: 'votes\.db', or database: ':memory:' for a test/) },
    ]);
    const directory = tempDir();
    const receiver = await createReceiver({ ...receiving, database: join(directory, 'votes.db') });
    await receiver.stop();
    expect(readdirSync(directory)).toContain('votes.db');
    expect(existsSync(':memory:')).toBe(false);
  });

  it('is started once, and answers with a code after its stop', async () => {
    const receiver = await createReceiver(receiving);
    onTestFinished(() => receiver.stop());
    const url = await receiver.start();
    expect(await errorOf(receiver.start)).toMatchObject({ code: 'already_started' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const stopping = receiver.stop();
    expect(await errorOf(receiver.start)).toMatchObject({ code: 'already_stopped' });
    await stopping;
    expect(await errorOf(receiver.start, { listen: false })).toMatchObject({ code: 'already_stopped' });
    expect(await errorOf(receiver.ledger.account, '42')).toMatchObject({ code: 'already_stopped' });
    const award = { userId: '42', credits: 1, reason: 'late', key: 'late' };
    expect(await errorOf(receiver.ledger.award, award)).toMatchObject({ code: 'already_stopped' });
  });

  it('is started again if its port was in use', async () => {
    const first = await createReceiver(receiving);
    onTestFinished(() => first.stop());
    const port = Number(new URL((await first.start()) ?? '').port);
    const second = await createReceiver({ ...receiving, port });
    onTestFinished(() => second.stop());
    const { code, hint } = await errorOf(second.start);
    expect([code, hint]).toEqual(['cannot_listen', expect.stringContaining('choose another port')]);
    await first.stop();
    expect(await second.start()).toBe(`http://127.0.0.1:${port}`);
  });

  it('has a ledger that names what is missing', async () => {
    const { ledger, stop } = await createReceiver(receiving);
    onTestFinished(() => stop());
    for (const change of [ledger.award, ledger.spend, ledger.refund]) {
      for (const args of [[], [null], ['42']])
        expect(await errorOf(change, ...args)).toMatchObject({ code: 'ledger_invalid_change' });
    }
  });
});

describe('createApp', () => {
  const dependencies = { clock: systemClock, log };

  it.each([
    ['nothing', [], 'options is missing: an object: {…} is required.'],
    ['the environment', [process.env], 'options is not an object of options, but variables of the environment.'],
    ['options with a second argument', [{ token: 'x' }, {}], 'config is not a configuration.'],
    ['an unknown option', [config(), { ...dependencies, hanlders: {} }], 'hanlders is not an option of createApp.'],
  ])('rejects %s', async (_name, args, expected) => {
    const issues = await issuesOf(createApp, ...args);
    expect(issues.map(({ setting, problem }) => `${setting} ${problem}`)).toEqual([expected]);
  });

  const bot = {
    token: botToken,
    lookup: { baseUrl: lookingUp.baseUrl },
    listings: [{ ...listings[0], lookupKey: 'k' }],
  };

  it.each([
    [{ discord: { apiURL: 'x' } }, 'discord.apiURL is not an option of createApp.', 'Did you mean apiUrl?'],
    [
      { listings: [{ ...bot.listings[0], rewards: { voterRole: { role: '1', fro: '7d' } } }] },
      'listings[0].rewards.voterRole.fro is not an option of createApp.',
      'Did you mean for?',
    ],
    [{ token: undefined }, 'token is missing.', expect.stringContaining('that variable is empty or not set')],
    [
      { database: 'mysql://user:private@host/db' },
      expect.stringMatching(/^database is invalid: it must be sqlite: followed by a path/),
      'Correct or remove it.',
    ],
    [
      { database: 'postgres://user:private@host/db', listings: undefined },
      'listings is missing, and listings cannot be linked in Discord without settingsKey.',
      expect.stringContaining('settingsKey'),
    ],
    [{ roles: ['recieve'] }, 'roles[0] is invalid: it must be one of receive, announce, answer.', expect.any(String)],
  ])('names what is wrong with its options, and what to do: %j', async (changes, expected, hint) => {
    const issues = await issuesOf(createApp, { ...bot, database: ':memory:', ...changes });
    expect(issues.map(({ setting, problem }) => `${setting} ${problem}`)).toEqual([expected]);
    expect(issues.map((issue) => issue.hint)).toEqual([hint]);
    expect(JSON.stringify(issues)).not.toContain('private');
  });

  it('names variables and options of createApp.fromEnvironment by their names', async () => {
    const { fromEnvironment } = createApp;
    expect(await issuesOf(fromEnvironment)).toMatchObject([{ hint: expect.stringContaining('(process.env)') }]);
    expect(await issuesOf(fromEnvironment, {}, { prot: 1 })).toMatchObject([{ setting: 'prot' }]);
    expect(await issuesOf(fromEnvironment, {}, { token: botToken, database: 'postgres://host/db' })).toMatchObject([
      { setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY' },
    ]);
  });

  it('is started once, and answers with a code after its stop', async () => {
    const DATABASE_URL = newSqliteUrl();
    const environment = { ...settings(unreachableDiscord), DATABASE_URL, CACHE_URL: 'memory:' };
    const app = await createApp(loadConfig({ ...environment, TALLYHOOK_ROLES: 'receive' }), dependencies);
    onTestFinished(() => app.stop());
    await app.start({ listen: false });
    expect(await errorOf(app.start)).toMatchObject({ code: 'already_started' });
    const stopping = app.stop();
    expect(await errorOf(app.start)).toMatchObject({ code: 'already_stopped' });
    await stopping;
    expect(await errorOf(app.start)).toMatchObject({ code: 'already_stopped' });
    expect(await errorOf(app.ledger.account, '42')).toMatchObject({ code: 'already_stopped' });
    expect(await errorOf(app.standings.standing, '42', Date.now())).toMatchObject({ code: 'already_stopped' });
  });

  it('needs an environment for its settings, and reports their issues with the code', async () => {
    expect(await issuesOf(loadConfig)).toMatchObject([{ hint: 'Pass the environment: loadConfig(process.env).' }]);
    const error = await errorOf(loadConfig, { DISCORD_TOKEN: 'x', PORT: 'many' });
    expect(error).toMatchObject({ code: 'invalid_settings', issues: expect.any(Array) });
    expect((error as InvalidConfigError).issues).toContainEqual(expect.objectContaining({ setting: 'PORT' }));
  });
});

describe('createLookup', () => {
  it.each([
    [undefined, 'options', 'Pass { kind, baseUrl, key }.'],
    [{ ...lookingUp, timeoutMS: 5 }, 'timeoutMS', 'Did you mean timeoutMs?'],
    [{ ...lookingUp, timeoutMs: '5' }, 'timeoutMs', 'Correct it.'],
    [{ ...lookingUp, observe: 5 }, 'observe', 'Correct it.'],
    [{ ...lookingUp, cache: 'redis://' }, 'cache', 'Correct it.'],
  ])('rejects %j', async (options, setting, hint) => {
    expect(await issuesOf(createLookup, options)).toMatchObject([{ setting, hint }]);
    expect(LookupConfigError).toBe(InvalidConfigError);
  });
});

describe('verify', () => {
  it('says which request to pass', async () => {
    const body = JSON.stringify({ event: 'server_vote', userId: '42', serverId: '1' });
    const headers = { 'x-webhook-signature': sign(body, 'secret') };
    const raw = new Request('http://127.0.0.1/vote', { method: 'POST', headers, body });
    /** As the request of Hono. */
    const request = { raw, header: (name: string) => raw.headers.get(name), method: 'POST' };
    const error = await errorOf(verify, request, 'secret');
    expect(error).toBeInstanceOf(VerifyError);
    expect(error).toMatchObject({
      code: 'invalid_options',
      hint: expect.stringContaining('verify(c.req.raw, secret)'),
    });
    for (const args of [[], ['text', 'secret'], [{ body }, 'secret']])
      expect(await errorOf(verify, ...args)).toMatchObject({ code: 'invalid_options' });
    expect(await verify(raw, 'secret')).toMatchObject({ userId: '42' });
  });
});

describe('the listing service', () => {
  it('rejects an address that it may not call, and a user that is none', async () => {
    const service = await startService({ seed: true, allowLoopbackTargets: false });
    onTestFinished(() => service.stop());
    const [listing] = await service.listings();
    const listingId = listing?.id ?? '';
    const voteUrl = 'http://127.0.0.1:1/webhooks';
    expect(await errorOf(service.setWebhook, listingId, { voteUrl })).toMatchObject({
      code: 'webhook_url_rejected',
      hint: expect.stringContaining('allowLoopbackTargets'),
    });
    const nobody = { userId: 'abc', username: 'mira' };
    for (const action of [
      errorOf(service.castVote, { ...nobody, listingId }),
      errorOf(service.addReview, { ...nobody, listingId, rating: 5, comment: 'A fine place.' }),
      errorOf(service.purchase, { listingId, buyer: nobody }),
      errorOf(service.purchase, { listingId, buyer: { userId: '42', username: 'mira' }, recipient: nobody }),
    ])
      expect(await action).toMatchObject({ code: 'invalid_user' });
  });
});
