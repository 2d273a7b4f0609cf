import { minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { wrappedLeases } from '@tallyhook/platform/testing/wrapped-leases';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SharedGateway } from '../../src/discord/gateway/shared-gateway.ts';
import { fetchShardCount } from '../../src/discord/inspection.ts';
import { createGlobalRateLimit } from '../../src/discord/rate-limit.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { openStore } from '../../src/features/store.ts';
import { localDiscord } from '../support/bot.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

async function createInstallation(shards: number) {
  const clock = manualClock();
  const discord = await localDiscord({ maxConcurrency: 1, stopwatch: clock });
  discord.faults.requireShards(shards);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const rest = createDiscordRest(discord);
  await rest.post(`/applications/${discord.applicationId}/commands`, { name: 'ping', description: 'Answers.' });

  const calls = new Set<Promise<unknown>>();

  /**
   * Moves the clock until the condition is true. Each step lasts as long as a request, so that connecting takes the same
   * time by this clock on every machine.
   */
  async function until(condition: () => boolean): Promise<void> {
    for (const end = clock.monotonic() + minute; !condition(); ) {
      expect(clock.monotonic(), String(condition)).toBeLessThan(end);
      await clock.advance(100);
      await fetch(discord.apiUrl);
      await Promise.allSettled(calls);
    }
  }

  function startProcess() {
    const { log, logged } = collectingLog();
    let isCutOff = false;
    const call = <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) => {
      return async (...args: Args): Promise<Result> => {
        if (isCutOff) throw new Error('cut off');
        const result = run(...args);
        calls.add(result);
        return result.finally(() => calls.delete(result));
      };
    };
    const reachable = wrappedLeases(store.leases, call);
    const answered: string[] = [];
    const gateway = new SharedGateway({
      ...{ token: discord.token, apiUrl: discord.apiUrl, clock, log, leases: reachable },
      globalLimit: createGlobalRateLimit(clock),
      onInteraction: ({ id }) => void answered.push(id),
      onReady: () => {},
      fetchShardCount: () => fetchShardCount(rest),
    });
    onTestFinished(() => gateway.stop());
    gateway.start();
    return {
      gateway,
      logged,
      answered,
      cutOff() {
        isCutOff = true;
      },
    };
  }

  /** Uses a command, and returns how many processes got the interaction. */
  async function responsesTo(processes: readonly { readonly answered: readonly string[] }[]): Promise<number> {
    const count = () => processes.reduce((sum, { answered }) => sum + answered.length, 0);
    const before = count();
    discord.runCommand({ name: 'ping', userId: discord.members[0]?.id ?? '', channelId: discord.channels.general });
    await until(() => count() > before);
    // Before this response, every connected process has got the interaction.
    await fetch(discord.apiUrl);
    return count() - before;
  }

  return { discord, clock, until, startProcess, responsesTo };
}

const accepted = (discord: LocalDiscord) => discord.identifies.filter((identify) => identify.accepted);

describe('several processes with a gateway connection', () => {
  it('have one session if there is one shard; another one is on standby, and takes over within 15 s', async () => {
    const { discord, clock, until, startProcess, responsesTo } = await createInstallation(1);
    const first = startProcess();
    await until(() => first.gateway.ready && !first.gateway.isStandby);
    const other = startProcess();
    await until(() => other.gateway.ready);
    expect(other.gateway.isStandby).toBe(true);
    expect(await responsesTo([first, other])).toBe(1);
    expect(discord.identifies).toHaveLength(1);

    first.cutOff();
    const cutOffAt = clock.monotonic();
    await until(() => other.gateway.ready && !other.gateway.isStandby);
    expect(clock.monotonic() - cutOffAt).toBeLessThan(15 * second);
    // Discord sends the interaction to both, because the first one is still connected.
    expect(await responsesTo([first, other])).toBe(1);
    expect(first.answered).toHaveLength(1);
    expect(discord.identifies.every((identify) => identify.accepted)).toBe(true);
  });

  it('share the shards, identify in turn and respond to each interaction once', async () => {
    const { discord, until, startProcess, responsesTo } = await createInstallation(4);
    const processes = [startProcess(), startProcess(), startProcess(), startProcess()];
    await until(() => accepted(discord).length >= 4 && processes.every(({ gateway }) => gateway.ready));
    // The last to start may still be taking shards from the first.
    await until(() => processes.every(({ gateway }) => gateway.ready && !gateway.isStandby));
    for (let index = 0; index < 3; index += 1) expect(await responsesTo(processes)).toBe(1);
    expect(discord.identifies.every((identify) => identify.accepted)).toBe(true);
    expect(new Set(discord.identifies.map(({ shard }) => shard.join('/')))).toEqual(
      new Set(['0/4', '1/4', '2/4', '3/4']),
    );
  });

  it('take over at once from one that stops', async () => {
    const { clock, until, startProcess, responsesTo } = await createInstallation(1);
    const first = startProcess();
    await until(() => first.gateway.ready && !first.gateway.isStandby);
    const other = startProcess();
    await until(() => other.gateway.isStandby);
    await clock.advance(6 * second);
    const stoppedAt = clock.monotonic();
    await first.gateway.stop();
    await until(() => other.gateway.ready && !other.gateway.isStandby);
    expect(clock.monotonic() - stoppedAt).toBeLessThan(8 * second);
    expect(await responsesTo([other])).toBe(1);
  });

  it('all change to more shards when Discord requires them', async () => {
    const { discord, clock, until, startProcess, responsesTo } = await createInstallation(1);
    const processes = [startProcess(), startProcess()];
    await until(() => processes.every(({ gateway }) => gateway.ready));
    await clock.advance(6 * second);
    discord.faults.requireShards(2);
    discord.faults.dropGateway({ resumable: false });
    await until(() => processes.every(({ gateway }) => gateway.ready && !gateway.isStandby));
    expect(await responsesTo(processes)).toBe(1);
    expect(
      accepted(discord)
        .slice(-2)
        .map(({ shard }) => shard.join('/'))
        .sort(),
    ).toEqual(['0/2', '1/2']);
    const messages = processes.flatMap(({ logged }) => logged.map(({ msg }) => msg));
    expect(messages).toContain('Discord requires more shards');
    expect(messages).not.toContain('Discord rejects the gateway settings');
  });

  it('wait if Discord allows no more sessions, and say so', async () => {
    const { discord, clock, until, startProcess } = await createInstallation(1);
    discord.faults.allowSessions(0);
    const { logged, gateway } = startProcess();
    await until(() => logged.some(({ msg }) => msg.includes('no more gateway sessions')));
    await clock.advance(5 * second);
    expect(discord.identifies).toEqual([]);
    expect(gateway.ready).toBe(false);
  });
});
