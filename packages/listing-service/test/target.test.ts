import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { post } from '@tallyhook/platform/webhooks/post';
import { checkTarget, type TargetPolicy } from '@tallyhook/platform/webhooks/target';
import { expect, test, vi } from 'vitest';
import { mira, receiver, running, serverId } from '../testing/running.ts';

test('DNS rebinding: a host is resolved once, and the request goes to the checked address', async () => {
  const good = await receiver();
  const { port } = new URL(good.url);
  const resolve = vi
    .fn<TargetPolicy['resolve']>()
    .mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
    .mockResolvedValue([{ address: '127.0.0.2', family: 4 }]);
  const target = await checkTarget(`http://rebinding.example:${port}/`, { allowLoopback: true, resolve });
  const outcome = await post(target, '{}', {}, { clock: manualClock(), timeoutMs: 10_000 });
  expect(outcome).toMatchObject({ status: 200 });
  expect(resolve).toHaveBeenCalledTimes(1);
  expect(good.received[0]?.headers.host).toBe(`rebinding.example:${port}`);
});

test('a host that resolves to a private address later is rejected when a delivery is sent', async () => {
  let address = '93.184.215.14';
  const resolve = async () => [{ address, family: 4 as const }];
  const { service } = await running({ allowLoopbackTargets: false, resolve });
  await service.setWebhook(serverId, { voteUrl: 'https://rebinding.example/' });
  address = '127.0.0.1';
  await service.castVote({ kind: 'server', ...mira });
  await eventually(async () => {
    const [delivery] = await service.deliveries(serverId);
    expect(delivery?.attemptHistory[0]?.error).toBe('The host rebinding.example is not on the public internet.');
  });
});

test('a rejected URL cannot be configured', async () => {
  const { service } = await running({ allowLoopbackTargets: false });
  await expect(service.setWebhook(serverId, { voteUrl: 'http://127.0.0.1/' })).rejects.toThrow('https://');
});
