import { createLog } from '@tallyhook/platform/log';
import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { logConfigWarnings } from '../../config/warnings.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';

it.each([
  ['fifteen-letters', 1],
  ['sixteen-letters!', 0],
])('warns about an owner token that can be guessed: %s', (token, warnings) => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const config = loadConfig({ ...settings(unreachableDiscord), OWNER_TOKEN: token });
  logConfigWarnings(config, config.listings, log);
  const ownerTokenWarnings = lines.filter((line) => line.includes('OWNER_TOKEN'));
  expect(ownerTokenWarnings).toHaveLength(warnings);
  expect(ownerTokenWarnings.join()).not.toContain(token);
});

it.each([
  ['no listing', 'receive,answer', [], 1],
  ['a linked listing', 'receive,answer', [{ voteSecrets: ['secret'] }], 0],
  ['no listing, and does not receive', 'answer', [], 0],
])('warns that every delivery will be rejected, if it has %s: %s', (_, roles, linked, warnings) => {
  const { VOTE_WEBHOOK_SECRET: _vote, PREMIUM_WEBHOOK_SECRET: _premium, ...environment } = settings(unreachableDiscord);
  const config = loadConfig({ ...environment, TALLYHOOK_ROLES: roles });
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const listing = {
    lookupKey: 'key',
    voteSecrets: [],
    premiumSecrets: [],
    voteAuthorization: null,
    announceChannelId: '1',
  };
  const listings = [...config.listings, ...linked.map((each) => ({ ...listing, ...each }))];
  logConfigWarnings(config, listings, log);
  expect(lines.filter((line) => line.includes('no webhook secret'))).toHaveLength(warnings);
});

it('says how to link the first listing, and which commands need a key', () => {
  const logged = (environment: Record<string, string>) => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
    const config = loadConfig(environment);
    logConfigWarnings(config, config.listings, log);
    return lines.join('');
  };
  const { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET: _, LOOKUP_SERVER_KEY, ...two } = settings(unreachableDiscord);
  const secret = { VOTE_WEBHOOK_SECRET: VOTE_WEBHOOK_SECRET ?? '' };
  expect(logged(two)).toContain('Link a listing with /setup');
  expect(logged(two)).not.toContain('every delivery will be rejected');
  expect(logged({ ...two, ...secret })).toContain('/claim and /reviews are not offered');
  const complete = { ...two, ...secret, LOOKUP_SERVER_KEY: LOOKUP_SERVER_KEY ?? '' };
  expect(logged(complete)).not.toMatch(/\/setup in your|not offered/);
});
