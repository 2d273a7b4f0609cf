import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServiceProcess } from '../support/service-process.ts';
import { countVotes, createListings, voterAt, voters } from './service-votes.ts';

/** Sends half of a request, and leaves the connection open. */
async function sendHalf(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nuser');
  await fetch(`${url}/healthz`);
}

describe('the service after a stop signal', { timeout: 120_000 }, () => {
  it('completes the requests in progress, has stored every vote that it answered, and exits with 0', async () => {
    const { address, listings } = await createListings(40);
    const service = await startServiceProcess(address);
    const vote = await voterAt(service.serviceUrl, voters[0]?.userId ?? '');
    const before = await countVotes(address);
    await sendHalf(service.serviceUrl);
    const votes = listings.map((listing) => vote(service.serviceUrl, listing).catch(() => 'refused'));
    await Promise.any(votes);
    service.process.kill('SIGTERM');
    const answered = (await Promise.all(votes)).filter((location) => location.endsWith('voted')).length;
    expect(await service.ended).toBe(0);
    expect(answered).toBeGreaterThan(0);
    expect((await countVotes(address)) - before).toBe(answered);
  });

  it('exits at once with 1 after a second signal', async () => {
    const { address } = await createListings(1);
    const service = await startServiceProcess(address, '--drain-seconds', '60');
    // Signals that arrive together count as one.
    const signals = setInterval(() => service.process.kill('SIGTERM'), 300);
    onTestFinished(() => clearInterval(signals));
    expect(await service.ended).toBe(1);
  });
});
