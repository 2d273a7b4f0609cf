import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TimelineDelivery } from '../../src/sandbox/page/ports.ts';
import { timelineOf, wholeSandbox } from '../support/whole-sandbox.ts';

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const hasIpv6 = addresses.some(({ address }) => address === '::1');
const ownAddress = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const hosts = [
  '0.0.0.0',
  'localhost',
  ...(hasIpv6 ? ['::', '::1'] : []),
  ...(ownAddress === undefined ? [] : [ownAddress]),
];

const isRecorded = ({ steps }: TimelineDelivery) => steps.some(({ name }) => name === 'recorded');

describe('a sandbox whose bot listens on another HOST', { timeout: 60_000 }, () => {
  it.each(hosts)('delivers votes to a bot on %s', async (host) => {
    const sandbox = await wholeSandbox({ environment: { HOST: host } });
    const { delivery } = timelineOf(sandbox);
    const [member] = sandbox.discord.members;
    if (member === undefined) throw new Error('The local Discord has no members.');
    await sandbox.service.castVote({ kind: 'server', userId: member.id, username: member.username });
    expect(await delivery(isRecorded)).toMatchObject({ kind: 'delivery' });
    expect((await fetch(`${sandbox.urls.bot}/healthz`)).status).toBe(200);
  });

  it('reads host and port from files', async () => {
    const directory = tempDir();
    const write = (name: string, text: string) => {
      writeFileSync(join(directory, name), `${text}\n`);
      return join(directory, name);
    };
    const environment = { HOST_FILE: write('host', '0.0.0.0'), PORT_FILE: write('port', '0') };
    const sandbox = await wholeSandbox({ environment });
    expect(sandbox.urls.bot).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]/);
  });
});

it.skipIf(!hasIpv6)('a local Discord on an IPv6 address is reached there', async () => {
  const discord = await startLocalDiscord({ host: '::1' });
  onTestFinished(() => discord.stop());
  expect(discord.apiUrl).toMatch(/^http:\/\/\[::1\]:/);
  expect((await fetch(`${discord.apiUrl}/v10/gateway`)).status).toBeLessThan(500);
});
