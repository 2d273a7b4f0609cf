import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { markup } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import type { Panel, Reply } from '../../src/discord/commands/reply.ts';
import { command, connectedBot, take } from '../support/bot.ts';
import { blocksOf, isPanelMessage, textOf } from '../support/message-text.ts';

const flag = { ephemeral: 1 << 6, componentsV2: 1 << 15 };
const buttons = [
  { kind: 'action', action: 'panel', label: 'Panel' },
  { kind: 'action', action: 'embed', label: 'Embed' },
  { kind: 'action', action: 'fail', label: 'Fail' },
] as const;
const file = (name: string) => ({ name, content: new TextEncoder().encode(name), description: `About ${name}` });
const panel: Panel = {
  kind: 'panel',
  tone: 'good',
  title: markup`Panel`,
  blocks: [
    { kind: 'text', text: markup`Text` },
    { kind: 'image', file: 'votes.png', description: 'A chart' },
    { kind: 'buttons', buttons },
  ],
  files: [file('votes.png')],
  response: 'update',
};
const embed: Reply = { tone: 'plain', title: markup`Embed`, text: markup`Reply`, buttons, response: 'update' };

const clock = manualClock();

/** Responds after `ms` with a panel, or with what its buttons say. */
function panels(ms: number, changes: Partial<Command> = {}): Command {
  return command({
    name: 'panels',
    actions: ['panel', 'embed', 'fail'],
    async execute({ action }) {
      await take(clock, ms);
      if (action === 'fail') throw new Error('broken');
      return action === 'embed' ? embed : panel;
    },
    ...changes,
  });
}

const idOf = (action: string) => `tallyhook:panels/${action}:`;

describe.each([
  ['at once', 0],
  ['after a deferral', 1_200],
] as const)('a panel that is returned %s', (_, ms) => {
  it.each([
    ['public', 0],
    ['private', flag.ephemeral],
  ] as const)('is a %s message of components, and the deferral does not say so', async (visibility, flags) => {
    const { run } = await connectedBot([panels(ms, { visibility })], { clock });
    const used = run('panels');
    const { type, data } = await used.response;
    expect(type).toBe(ms === 0 ? 4 : 5);
    if (type === 5) expect(data).toEqual(flags === 0 ? {} : { flags });
    const message = await used.settled;
    expect(message).toMatchObject({ flags: flags | flag.componentsV2, content: '', embeds: [] });
    expect(textOf(message)).toBe('### Panel\nText');
    expect(message.attachments).toMatchObject([{ filename: 'votes.png', description: 'About votes.png' }]);
  });

  it('can be replaced by a reply, which becomes a panel, and by a panel again', async () => {
    const { discord, run, member } = await connectedBot([panels(ms)], { clock });
    const { id } = await run('panels').settled;
    const replaced = await discord.clickButton(id, idOf('embed'), member.id).settled;
    expect(replaced).toMatchObject({ id, embeds: [], flags: flag.componentsV2, attachments: [] });
    expect(textOf(replaced)).toBe('### Embed\nReply');
    const again = await discord.clickButton(id, idOf('panel'), member.id).settled;
    expect(textOf(again)).toBe('### Panel\nText');
    expect(again.attachments).toMatchObject([{ filename: 'votes.png' }]);
  });

  it('stays when a button of it fails, which is explained to the member alone', async () => {
    const { discord, run, member } = await connectedBot([panels(ms)], { clock });
    const { id } = await run('panels').settled;
    const error = await discord.clickButton(id, idOf('fail'), member.id).settled;
    expect(error.id).not.toBe(id);
    expect(error.flags & flag.ephemeral).toBe(flag.ephemeral);
    expect(blocksOf(error)[0]).toContain('Something went wrong');
    const shown = discord.messages(discord.channels.general);
    expect(shown.map(textOf)).toEqual(['### Panel\nText']);
    expect(shown.every(isPanelMessage)).toBe(true);
  });

  it('can be a new message for the member alone, below an embed', async () => {
    const opening = command({ ...panels(ms), name: 'panels' });
    const tested = command({
      ...opening,
      execute: async (input, context) => {
        if (input.action === null) return embed;
        return { ...(await panels(ms).execute(input, context)), response: 'new' } as Panel;
      },
    });
    const { discord, run, member } = await connectedBot([tested], { clock });
    const { id } = await run('panels').settled;
    const message = await discord.clickButton(id, idOf('panel'), member.id).settled;
    expect(message.id).not.toBe(id);
    expect(message.flags).toBe(flag.ephemeral | flag.componentsV2);
    expect(discord.messages(discord.channels.general)).toMatchObject([{ id, embeds: [{ title: 'Embed' }] }]);
  });
});
