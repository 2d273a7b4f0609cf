import { EventEmitter } from 'node:events';
import type { PagePorts } from '../../src/sandbox/page/ports.ts';
import { createSandboxPage } from '../../src/sandbox/page/sandbox-page.ts';

/** A service that counts every vote immediately. */
export function service() {
  const news: PagePorts['events'] = new EventEmitter();
  const outages = { discord: false, service: false };
  const credits = new Map<string, number>();
  const done: string[] = [];
  const ports: PagePorts = {
    isLinked: true,
    tours: { done, chosen: 'vote', finish: (step) => void done.push(step), choose() {} },
    runDoctor: async () => [],
    listings: [{ kind: 'server', name: 'Lantern Harbour' }],
    consoleLink: () => null,
    dashboard: () => null,
    events: news,
    outages,
    async injectFault(what) {
      outages.service = true;
      news.emit('simulation');
      return `did ${what}`;
    },
    async castVote({ userId }) {
      if (userId === '1') throw new Error('a stack trace with secrets');
      credits.set(userId, 10);
      news.emit('timeline', { kind: 'line', at: 0, source: 'bot', tone: 'good', text: 'recorded' });
      return { outcome: 'recorded', nextVoteAt: 1, isDelivered: true };
    },
    credits: (userId) => Promise.resolve(credits.get(userId) ?? 0),
  };
  return { news, options: { pageExtension: createSandboxPage(ports) } };
}
