import { describe, expect, it } from 'vitest';
import { createChannelCooldowns } from '../../src/outbox/channel-cooldowns.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 0, 1);

describe('a channel cooldown', () => {
  it('lasts for its duration, even if the wall clock is changed', async () => {
    const clock = manualClock(start);
    const cooldowns = createChannelCooldowns(clock);
    cooldowns.start('1', 5 * second);
    cooldowns.start('2', minute);
    clock.shiftWallClock(-hour);
    expect(cooldowns.claimFilter(clock.now()).excludedChannelIds).toEqual(['1', '2']);
    expect(cooldowns.msUntilNextEnd()).toBe(5 * second);
    await clock.advance(5 * second);
    expect(cooldowns.claimFilter(clock.now()).excludedChannelIds).toEqual(['2']);
    clock.shiftWallClock(2 * hour);
    expect(cooldowns.claimFilter(clock.now()).excludedChannelIds).toEqual(['2']);
    await clock.advance(minute - 5 * second);
    expect(cooldowns.claimFilter(clock.now()).excludedChannelIds).toEqual([]);
    expect(cooldowns.msUntilNextEnd()).toBe(null);
  });

  it('skips the scanned backlog until an effect in it may be due again', async () => {
    const clock = manualClock(start);
    const cooldowns = createChannelCooldowns(clock);
    cooldowns.start('1', minute);
    cooldowns.skipUntil(start);
    expect(cooldowns.claimFilter(start + second).skipUntil).toBe(start - 5 * second);
    cooldowns.resetSkip();
    expect(cooldowns.claimFilter(start + second).skipUntil).toBe(0);
    cooldowns.skipUntil(start);
    expect(cooldowns.claimFilter(start - hour).skipUntil).toBe(0);
    cooldowns.skipUntil(start);
    await clock.advance(minute);
    expect(cooldowns.claimFilter(start + minute).skipUntil).toBe(0);
  });
});
