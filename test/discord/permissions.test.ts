import { PermissionFlagsBits as bit } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { type PermissionContext, permissionsIn } from '../../src/discord/permissions.ts';

const everyone = { id: 'guild', permissions: String(bit.ViewChannel | bit.SendMessages) };
const role = (id: string, permissions = 0n) => ({ id, permissions: String(permissions) });
const overwrite = (id: string, type: 0 | 1, changes: { allow?: bigint; deny?: bigint }) => ({
  id,
  type,
  allow: String(changes.allow ?? 0n),
  deny: String(changes.deny ?? 0n),
});

function may(
  permission: bigint,
  changes: {
    overwrites?: PermissionContext['overwrites'];
    botRole?: bigint;
    ownerId?: string;
    isTimedOut?: boolean;
  } = {},
) {
  const { overwrites = [], botRole = 0n, ownerId = 'owner', isTimedOut = false } = changes;
  const permissions = permissionsIn({
    guild: { id: 'guild', ownerId, roles: [everyone, role('bot-role', botRole), role('other', bit.EmbedLinks)] },
    member: { id: 'bot', roles: ['bot-role'], isTimedOut },
    overwrites,
  });
  return (permissions & permission) !== 0n;
}

describe('the permissions in a channel', () => {
  it('are those of @everyone and of the roles of the member only', () => {
    expect(may(bit.SendMessages)).toBe(true);
    expect(may(bit.EmbedLinks)).toBe(false);
    expect(may(bit.EmbedLinks, { botRole: bit.EmbedLinks })).toBe(true);
  });

  it('are changed by @everyone, then by the roles, then for the member', () => {
    const forAll = overwrite('guild', 0, { deny: bit.SendMessages });
    const forRole = overwrite('bot-role', 0, { allow: bit.SendMessages });
    const forBot = overwrite('bot', 1, { deny: bit.SendMessages });
    expect(may(bit.SendMessages, { overwrites: [forAll] })).toBe(false);
    expect(may(bit.SendMessages, { overwrites: [forRole, forAll] })).toBe(true);
    expect(may(bit.SendMessages, { overwrites: [forBot, forRole, forAll] })).toBe(false);
    expect(may(bit.SendMessages, { overwrites: [overwrite('other', 0, { deny: bit.SendMessages })] })).toBe(true);
  });

  it('that one of several roles allows are allowed', () => {
    const scene = {
      guild: { id: 'guild', ownerId: 'owner', roles: [everyone, role('a'), role('b')] },
      member: { id: 'bot', roles: ['a', 'b'], isTimedOut: false },
      overwrites: [overwrite('a', 0, { allow: bit.EmbedLinks }), overwrite('b', 0, { deny: bit.EmbedLinks })],
    };
    expect(permissionsIn(scene) & bit.EmbedLinks).toBe(bit.EmbedLinks);
  });

  it('are empty if the channel cannot be seen', () => {
    expect(may(bit.SendMessages, { overwrites: [overwrite('guild', 0, { deny: bit.ViewChannel })] })).toBe(false);
  });

  it('are complete for an administrator and for the owner, whatever the overwrites of the channel', () => {
    const overwrites = [overwrite('bot', 1, { deny: bit.SendMessages })];
    expect(may(bit.SendMessages, { overwrites, botRole: bit.Administrator })).toBe(true);
    expect(may(bit.SendMessages, { overwrites, ownerId: 'bot' })).toBe(true);
  });

  it('are only to view and read the history while a member is timed out', () => {
    expect(may(bit.SendMessages, { isTimedOut: true })).toBe(false);
    expect(may(bit.ViewChannel, { isTimedOut: true })).toBe(true);
  });
});
