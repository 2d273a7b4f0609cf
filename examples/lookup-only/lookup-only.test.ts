import { startService } from 'tallyhook/sandbox';
import { expect, it, onTestFinished, vi } from 'vitest';

it('shows who may vote, and the listing, without a bot', async () => {
  const service = await startService({ allowLoopbackTargets: true });
  onTestFinished(() => service.stop());
  const { listing, key } = await service.createListing({
    ...({ kind: 'server', discordId: '613425648685547541' } as const),
    name: 'Lantern Harbour',
  });
  vi.stubEnv('LOOKUP_BASE_URL', service.baseUrl);
  vi.stubEnv('LOOKUP_SERVER_KEY', key);
  const [mira, tomas] = ['80351110224678912', '80351110224678913'];
  await service.castVote({ listingId: listing.id, userId: mira, username: 'mira' });
  await service.addReview({ listingId: listing.id, userId: mira, username: 'mira', rating: 5, comment: 'So calm.' });

  const { describeListing, describeVote } = await import('./main.ts');
  expect(await describeVote(mira)).toBe('can vote again in 720 minutes');
  expect(await describeVote(tomas)).toBe('can vote now');
  expect(await describeListing()).toEqual(['Lantern Harbour has 1 votes and 1 reviews', '5/5 mira: So calm.']);

  await service.stop();
  expect(await describeVote(tomas)).toBe('can vote now');
  expect(await describeVote('80351110224678914')).toMatch(/^unknown: .*no connection to the service/);
});
