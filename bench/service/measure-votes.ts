import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LogProgress, Profile } from '../benchmark.ts';
import { startGenerator } from '../load/load.ts';
import { hasWrk } from '../load/wrk.ts';
import { startChild } from '../process/child.ts';
import { watchOtherPrograms } from '../process/other-programs.ts';
import { contenderNamed } from '../receive/contender.ts';
import { startContender } from '../receive/contender-runner.ts';
import { startSurroundings } from '../receive/surroundings.ts';
import { figure } from '../report.ts';
import { median } from '../samples.ts';
import type { FilledDatabase } from './fill.ts';
import type { VoteRun, VotesCast } from './service-process.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const concurrency = 64;

/**
 * Votes through the programmatic API, each with a webhook that is queued and sent to a receiver that answers, beside the
 * bot's receiver, which stores a vote and its announcement in SQLite too. In turns.
 */
export async function measureVotes(
  filled: FilledDatabase,
  profile: Profile,
  logProgress: LogProgress,
): Promise<{ readonly ratio: number; readonly note: string }> {
  const directory = join(profile.directory, 'service-votes');
  rmSync(directory, { recursive: true, force: true });
  const surroundings = await startSurroundings(join(directory, 'surroundings'));
  const generator = await startGenerator();
  const environment = { generator, directory, surroundings, otherPrograms: watchOtherPrograms() };
  const bot = await startContender(contenderNamed('tallyhook'), environment);
  const service = await startChild(new URL('./service-process.ts', import.meta.url), [`sqlite:${filled.path}`]);
  const receiver = await startWebhookReceiver();
  try {
    const listingIds = filled.keys.slice(0, 50).map(({ id }) => id);
    for (const [webhook, listingId] of listingIds.entries())
      await service.ask('setWebhook', { listingId, url: receiver.url(0, webhook) });
    const count = profile.quick ? 2_000 : 10_000;
    const sender = (await hasWrk()) ? 'wrk' : 'own';
    let firstVoter = Math.floor(Math.random() * 1e9);
    const runs: { readonly votes: number; readonly sent: number; readonly receiver: number }[] = [];
    for (let round = 0; round <= (profile.quick ? 2 : 4); round += 1) {
      const before = receiver.received.size;
      const run: VoteRun = { listingIds, count, concurrency, firstVoter };
      const { took, deliveryIds } = await service.ask<VotesCast>('vote', run);
      const sent = receiver.received.size - before;
      firstVoter += count;
      // Otherwise the bot would be measured beside them.
      await receiver.untilDelivered(deliveryIds);
      const measured = {
        votes: (count * 1_000) / took,
        sent: (sent * 1_000) / took,
        receiver: (await bot.run(count, { sender })).rate,
      };
      logProgress(`${Math.round(measured.votes)} votes/s, the bot's receiver ${Math.round(measured.receiver)}/s`);
      // The first round only warms up.
      if (round > 0) runs.push(measured);
    }
    const of = (value: (run: (typeof runs)[number]) => number) => median(runs.map(value));
    return {
      ratio: of(({ votes, receiver }) => votes / receiver),
      note: `${figure(of(({ votes }) => votes))} votes per second with their webhook queued while a receiver answered ${figure(of(({ sent }) => sent))} of these webhooks per second; the bot's receiver stored ${figure(of((run) => run.receiver))} votes per second.`,
    };
  } finally {
    await service.stop();
    await bot.stop();
    await generator.stop();
    await surroundings.stop();
    receiver.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
