import { join } from 'node:path';
import { type Benchmark, figure, type Goal, type Table, within } from '../report.ts';
import { measureReplies, type ReplyTimes } from './reply-times.ts';
import { countRequests, type Requests, type Voters } from './request-count.ts';
import { castVotes, startConstantBot, startListingService, startTallyhook } from './setup.ts';

const kindsOfVoters: readonly Voters[] = ['known', 'unknown', 'never voted'];

const method = `tallyhook and a minimal discord.js bot, each in its own process with its own local Discord. The minimal bot replies to
each command with a constant: the same message that tallyhook replies with. Commands run one at a time, alternating
between the bots, with all data in tallyhook's cache. Then, 200 members run 1,000 commands in a simulated hour (60 % \`/canvote\`, 20 % \`/stats\`, 20 % \`/reviews\`), and the requests to
the service are counted.`;

/** Response times of commands, and requests to the service. */
export const commands: Benchmark = {
  name: 'commands',
  method,
  async measure({ quick, directory }, logProgress) {
    const service = await startListingService(directory);
    const running: { stop(): Promise<void> }[] = [service];
    try {
      const tallyhook = await startTallyhook(join(directory, 'tallyhook'), service);
      running.push(tallyhook);
      const constant = await startConstantBot();
      running.push(constant);
      await castVotes(tallyhook);
      const withoutVotes = await startTallyhook(join(directory, 'without-votes'), service, { hasBot: true });
      running.push(withoutVotes);
      const bots = { tallyhook, withoutVotes, constant };
      const answered = await measureReplies(bots, quick ? 200 : 1_000, logProgress);

      logProgress('counting requests to the service');
      const requests = new Map<Voters, Requests>();
      for (const voters of kindsOfVoters) requests.set(voters, await countRequests(voters, directory));
      return {
        goals: answered.map(answerGoal),
        tables: [times(answered), savings(requests)],
        notes: [],
      };
    } finally {
      for (const part of running.reverse()) await part.stop();
    }
  },
};

function answerGoal({ reply: { label }, tallyhook, constant }: ReplyTimes): Goal {
  return within('a cached command, above a constant reply, p50', 0.3, tallyhook.p50 - constant.p50, 'ms', label);
}

function times(answered: readonly ReplyTimes[]): Table {
  return {
    caption: 'From the dispatch of the interaction to its callback, one at a time, ms.',
    columns: ['', 'p50', 'p50 constant', 'ratio', 'p99', 'p99 constant'],
    rows: answered.map(({ reply, tallyhook, constant }) => [
      reply.label,
      figure(tallyhook.p50),
      figure(constant.p50),
      figure(tallyhook.p50 / constant.p50),
      figure(tallyhook.p99),
      figure(constant.p99),
    ]),
  };
}

function savings(requests: ReadonlyMap<Voters, Requests>): Table {
  const words: Readonly<Record<Voters, string>> = {
    known: 'have voted, with webhooks',
    unknown: 'have voted, and no webhook came',
    'never voted': 'have never voted',
  };
  return {
    caption: 'Requests to the service per 1,000 commands of 200 members in one hour.',
    columns: ['those who ask', 'tallyhook', 'every answer cached for 60 s'],
    rows: [...requests].map(([voters, { tallyhook, plain }]) => [words[voters], String(tallyhook), String(plain)]),
  };
}
