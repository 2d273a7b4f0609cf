import { describe, expect, it } from 'vitest';
import { createChannelCooldowns } from '../../src/outbox/channel-cooldowns.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 0, 1);

describe('a rest', () => {
  it('lasts as long as it was said to, however the clock is set', async () => {
    const clock = manualClock(start);
    const rests = createChannelCooldowns(clock);
    rests.start('1', 5 * second);
    rests.start('2', minute);
    clock.set(-hour);
    expect(rests.claimFilter(clock.now()).excludedChannelIds).toEqual(['1', '2']);
    expect(rests.msUntilNextEnd()).toBe(5 * second);
    await clock.advance(5 * second);
    expect(rests.claimFilter(clock.now()).excludedChannelIds).toEqual(['2']);
    clock.set(2 * hour);
    expect(rests.claimFilter(clock.now()).excludedChannelIds).toEqual(['2']);
    await clock.advance(minute - 5 * second);
    expect(rests.claimFilter(clock.now()).excludedChannelIds).toEqual([]);
    expect(rests.msUntilNextEnd()).toBe(null);
  });

  it('spares looking through its backlog again, until something may have become due within it', async () => {
    const clock = manualClock(start);
    const rests = createChannelCooldowns(clock);
    rests.start('1', minute);
    rests.skipUntil(start);
    expect(rests.claimFilter(start + second).skipUntil).toBe(start - 5 * second);
    rests.resetSkip();
    expect(rests.claimFilter(start + second).skipUntil).toBe(0);
    rests.skipUntil(start);
    expect(rests.claimFilter(start - hour).skipUntil).toBe(0);
    rests.skipUntil(start);
    await clock.advance(minute);
    expect(rests.claimFilter(start + minute).skipUntil).toBe(0);
  });
});
