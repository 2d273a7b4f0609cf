import { systemClock } from '@tallyhook/platform/clock';
import { expect, it } from 'vitest';
import { createListingNames, type NamedListing } from '../../../src/features/communities/lookup-clients.ts';

it('a listing has the name in Discord, unless it is on the service or has a title', () => {
  const names = createListingNames(
    { known: (_kind, id) => (id === '1' ? 'Lantern Harbour' : null), find: async () => null },
    systemClock,
  );
  const nameOf = (changes: Partial<NamedListing>) => {
    const onSite = () => 'Lantern Harbour: 24/7 chat';
    return names.of({ kind: 'server', id: '1', title: null, siteName: 'top.gg', nameOnSite: onSite, ...changes }, []);
  };
  expect(nameOf({})).toBe('Lantern Harbour');
  expect(nameOf({ title: 'Ours' })).toBe('Ours');
  expect(nameOf({ id: '2' })).toBe('Lantern Harbour: 24/7 chat');
  expect(nameOf({ id: null, nameOnSite: () => null })).toBe('top.gg');
  expect(nameOf({ siteName: null })).toBe('Lantern Harbour: 24/7 chat');
});
