import { expect, it } from 'vitest';
import type { Effect, OwnerReport } from '../../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createOwnerReportHandler } from '../../../src/features/notifications/messages.ts';
import { renderReport } from '../../../src/features/parts.ts';
import { create as rateAlarmParts } from '../../../src/features/rate-alarms/parts.ts';
import { renderRoleFailure } from '../../../src/features/roles/parts.ts';
import { roleFailedReport } from '../../../src/features/roles/store.ts';
import { create as shopParts } from '../../../src/features/shop/parts.ts';
import { renderLostPanel } from '../../../src/features/vote-panel/parts.ts';
import { lostPanelReport } from '../../../src/features/vote-panel/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/bot.ts';
import { channelQueue } from '../../support/queues.ts';

const en = textsIn('en-US');
const role = '300000000000000009';

async function reporting() {
  const discord = await localDiscord({ rateLimits: false });
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const handler = createOwnerReportHandler({
    ...{ rest, textsOf: async () => en },
    types: [
      ...shopParts().ownerReports,
      ...rateAlarmParts({ lookups: { displayName: (name) => name } }).ownerReports,
      renderReport(roleFailedReport, renderRoleFailure),
      renderReport(lostPanelReport, renderLostPanel),
    ],
  });
  const handle = (effect: Effect<OwnerReport>) => handler.perform([effect]);
  const channelId = discord.channels.general;
  const report = (reason: string, changes: { cause?: string; isRemoval?: true } = {}) => {
    const { guildId } = discord;
    const memberRole = { guildId, userId: '200000000000000007', role };
    const failure = { type: 'roleFailed', ...memberRole, reason, cause: 'rejected', ...changes } as const;
    return handle(effectOf({ channelId, report: failure }));
  };
  return { discord, handle, report, channelId, shown: () => discord.messages(channelId) };
}

function effectOf(content: OwnerReport): Effect<OwnerReport> {
  return {
    ...{
      id: 1,
      deliveryId: null,
      kind: 'ownerReport',
      queue: channelQueue(content.channelId),
      attempts: 1,
      createdAt: 0,
    },
    ...{ content, nonce: 'nonce', possiblySentSince: null },
  };
}

it('a report names the role, the member and the reason, and pings nobody', async () => {
  const { report, shown } = await reporting();
  expect(await report('Discord says: @everyone [free](https://evil.example) <@1>')).toEqual({ outcome: 'done' });
  const [message] = shown();
  const description = message?.embeds[0]?.description ?? '';
  expect(message?.embeds[0]?.title).toBe('A role could not be changed');
  expect(description).toMatch(/^I cannot give <@&300000000000000009> to <@200000000000000007>\.\nDiscord says: /);
  expect(description).not.toContain('](https://evil.example)');
  expect(description).not.toContain('<@1>');
  expect(message).toMatchObject({ mentions: [], mention_roles: [], mention_everyone: false });
});

it.each([
  ['missing_permission', 'Open *Server Settings → Roles*'],
  ['role_too_high', `drag the bot's role above <@&${role}>.`],
  ['role_managed', 'Choose a role that you made yourself.'],
  ['role_moderating', 'Choose a role without permissions'],
  ['role_deleted', 'Choose a role of this server.'],
  ['member_left', 'after returning.'],
  ['rejected', `The bot may not see <#400000000000000001> and <@&${role}>.`],
])('a report of %s says what to do, without numbers', async (cause, hint) => {
  const { report, shown } = await reporting();
  await report(`The bot may not see channel 400000000000000001 and role ${role}.`, { cause, isRemoval: true });
  const description = shown()[0]?.embeds[0]?.description ?? '';
  expect(description).toMatch(/^I cannot take <@&300000000000000009> from <@200000000000000007>\.\n/);
  expect(description).toContain(hint);
  expect(description.replaceAll(/<\S+>/g, '')).not.toMatch(/\d/);
});

it('a report of a closed purchase names no member, and has no buttons', async () => {
  const { handle, channelId, shown } = await reporting();
  const report = { type: 'purchaseClosed', purchaseId: 12, item: '*Shout*-out', price: 50 } as const;
  expect(await handle(effectOf({ channelId, report }))).toEqual({ outcome: 'done' });
  const [message] = shown();
  expect(message?.embeds[0]).toMatchObject({
    title: 'Purchase 12',
    description: expect.stringMatching(
      /^The buyer of \*\*\\\*Shout\\\*-out\*\* \(\*\*50\*\* credits\) had their data deleted/,
    ),
  });
  expect(message?.components).toEqual([]);
});

it('a report is posted once if its response was lost', async () => {
  const { discord, report, shown } = await reporting();
  discord.faults.loseAnswers(1);
  expect(await report('role too high')).toMatchObject({ outcome: 'later' });
  expect(await report('role too high')).toEqual({ outcome: 'done' });
  expect(shown()).toHaveLength(1);
});

it('a report waits while the bot cannot write in the channel', async () => {
  const { discord, report, channelId } = await reporting();
  discord.faults.losePermission(channelId);
  expect(await report('role too high')).toMatchObject({
    ...{ outcome: 'later', reason: expect.stringContaining('Send Messages'), stop: { target: channelId } },
  });
});
