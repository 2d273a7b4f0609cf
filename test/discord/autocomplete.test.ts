import { second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import type { CompletionInput } from '../../src/discord/commands/command.ts';
import { command, connectedBot, hello, until } from '../support/bot.ts';

const completing = (changes: Partial<Command>) =>
  command({
    describe: () => ({
      description: 'Says something.',
      options: [
        { type: ApplicationCommandOptionType.Integer, name: 'times', description: 'How often.' },
        { type: ApplicationCommandOptionType.String, name: 'word', description: 'What.', autocomplete: true },
      ],
    }),
    execute: async () => hello,
    ...changes,
  });

const type = (discord: LocalDiscord, value: string, changes: object = {}) =>
  discord.autocomplete({
    ...{ name: 'say', focused: { name: 'word', value } },
    ...{ userId: discord.members[0]?.id ?? '', channelId: discord.channels.general, ...changes },
  });

describe('autocomplete', () => {
  it('receives what the member has typed, and shows the choices', async () => {
    const inputs: CompletionInput[] = [];
    const { discord, member } = await connectedBot([
      completing({
        async autocomplete(input) {
          inputs.push(input);
          return [{ name: 'Hello', value: 'hello' }];
        },
      }),
    ]);
    expect(await type(discord, 'he', { options: { times: 3 } })).toEqual([{ name: 'Hello', value: 'hello' }]);
    const origin = { userId: member.id, guildId: discord.guildId, isManager: true };
    expect(inputs).toEqual([{ option: 'word', typed: 'he', options: { times: 3 }, ...origin }]);
  });

  it('sends at most 25 choices, each within the limits of Discord', async () => {
    const long = { name: 'n'.repeat(150), value: 'long' };
    const wrong = [
      { name: '', value: 'no name' },
      { name: 'no value', value: '' },
      { name: 'long value', value: 'v'.repeat(101) },
    ];
    const others = Array.from({ length: 40 }, (_, place) => ({ name: `${place}`, value: `${place}` }));
    const { discord } = await connectedBot([completing({ autocomplete: async () => [...wrong, long, ...others] })]);
    const choices = await type(discord, '');
    expect(choices).toHaveLength(25);
    expect(choices[0]).toEqual({ name: `${'n'.repeat(99)}…`, value: 'long' });
  });

  it('has no choices after an error, which is logged, or after a second', async () => {
    let respond = () => Promise.reject(new Error('no list'));
    const clock = manualClock();
    const { discord, logged } = await connectedBot([completing({ autocomplete: () => respond() })], { clock });
    expect(await type(discord, 'a')).toEqual([]);
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'autocomplete failed', command: 'say' }));
    respond = () => new Promise(() => {});
    const choices = type(discord, 'a');
    await until(() => clock.sleepers() === 1);
    await clock.advance(second);
    expect(await choices).toEqual([]);
  });

  it('has no choices for a command without it, and for members who may not use the command', async () => {
    const secret = async () => [{ name: 'secret', value: 'secret' }];
    const { discord, member, other } = await connectedBot([
      completing({ name: 'plain' }),
      completing({ name: 'manage', defaultMemberPermissions: 'ManageGuild', autocomplete: secret }),
    ]);
    expect(await type(discord, 'a', { name: 'plain' })).toEqual([]);
    expect(await type(discord, 'a', { name: 'manage', userId: member.id })).toHaveLength(1);
    // The local Discord hides the command, as Discord does unless administrators change that.
    await expect(type(discord, 'a', { name: 'manage', userId: other.id })).rejects.toThrow();
  });

  it('of another program gets no response, even for a command of the same name', async () => {
    const asked: string[] = [];
    const { discord, logged } = await connectedBot(
      [
        completing({
          autocomplete: async ({ typed }) => {
            asked.push(typed);
            return [];
          },
        }),
      ],
      {
        async before({ rest, applicationId }) {
          const option = { type: 3, name: 'word', description: 'What.', autocomplete: true };
          const body = { name: 'say', description: 'Plays a song.', options: [option] };
          await rest.post(`/applications/${applicationId}/commands`, body);
        },
      },
    );
    void type(discord, 'a').catch(() => {});
    await until(() => logged.some(({ msg }) => msg === 'interaction of another program ignored'));
    expect(asked).toEqual([]);
  });
});
