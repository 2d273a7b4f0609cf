import { expect, it } from 'vitest';
import { guildOf } from '../../src/discord/interactions/command-input.ts';

it.each<[string, Parameters<typeof guildOf>[0], string | null]>([
  ['that has the app', { guild_id: '1', authorizing_integration_owners: { 0: '1' } }, '1'],
  ['of a gateway that does not say who has added the app', { guild_id: '1' }, '1'],
  [
    'in which a member uses the app of their account',
    { guild_id: '1', authorizing_integration_owners: { 1: '2' } },
    null,
  ],
])('a command belongs to the guild %s', (_name, place, guild) => {
  expect(guildOf(place)).toBe(guild);
});
