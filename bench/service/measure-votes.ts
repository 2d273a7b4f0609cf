import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LogProgress, Profile } from '../benchmark.ts';
import { startGenerator } from '../load/load.ts';
import { hasWrk } from '../load/wrk.ts';
import { startChild } from '../process/child.ts';
import { listen } from '../process/listen.ts';
import { watchOtherPrograms } from '../process/other-programs.ts';
import { contenderNamed } from '../receive/contender.ts';
import { startContender } from '../receive/contender-runner.ts';
import { startSurroundings } from '../receive/surroundings.ts';
import { figure } from '../report.ts';
import { median } from '../samples.ts';
import type { FilledDatabase } from './fill.ts';

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
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.end('{"received":true}'));
  });
  try {
    const url = `http://127.0.0.1:${await listen(receiver)}/`;
    const listingIds = filled.keys.slice(0, 50).map(({ id }) => id);
    for (const listingId of listingIds) await service.ask('setWebhook', { listingId, url });
    const count = profile.quick ? 2_000 : 10_000;
    const sender = (await hasWrk()) ? 'wrk' : 'own';
    let firstVoter = Math.floor(Math.random() * 1e9);
    const runs: { readonly votes: number; readonly sent: number; readonly receiver: number }[] = [];
    for (let round = 0; round <= (profile.quick ? 2 : 4); round += 1) {
      const before = received;
      const took = await service.ask<number>('vote', { listingIds, count, concurrency, firstVoter });
      firstVoter += count;
      const run = {
        votes: (count * 1_000) / took,
        sent: ((received - before) * 1_000) / took,
        receiver: (await bot.run(count, { sender })).rate,
      };
      logProgress(`${Math.round(run.votes)} votes/s, the bot's receiver ${Math.round(run.receiver)}/s`);
      // The first round only warms up.
      if (round > 0) runs.push(run);
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
    receiver.closeAllConnections();
    receiver.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
