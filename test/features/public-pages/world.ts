import { environmentWith, harbour } from '../../support/listings-file.ts';
import { startTwoCommunities } from '../../support/two-communities.ts';

export const publicUrl = 'http://votes.example';

type World = Awaited<ReturnType<typeof startTwoCommunities>>;

/** Two communities with pages: `lantern-harbour`, with everything that a page shows, and `bees`. */
export async function startPages(
  changes: { readonly harbour?: object; readonly bees?: object; readonly environment?: Record<string, string> } = {},
) {
  const world = await startTwoCommunities(({ harbour: first, bees: second }) => {
    const { TALLYHOOK_CONFIG = '' } = environmentWith([
      {
        ...{ ...harbour, guildId: first, voteSecrets: ['secret-of-the-harbour'], title: 'Lantern Harbour' },
        publicPage: { slug: 'lantern-harbour' },
        ...changes.harbour,
      },
      {
        ...{ name: 'harbour-topgg', kind: 'server', id: '1000', guildId: first, site: 'topgg' },
        ...{ title: 'Lantern Harbour', voteSecrets: ['whs_secret-of-the-harbour'] },
      },
      {
        ...{ name: 'harbour-place', kind: 'server', id: '1000', guildId: first, site: 'discordplace' },
        ...{ title: 'Lantern Harbour', voteSecrets: ['secret-of-the-harbour-there'] },
      },
      {
        ...{ ...harbour, name: 'bees', id: '2000', lookupKey: 'key-of-the-bees', guildId: second },
        ...{ voteSecrets: ['secret-of-the-bees'], title: 'Bees' },
        publicPage: { slug: 'bees' },
        ...changes.bees,
      },
    ]);
    return { TALLYHOOK_CONFIG, ...changes.environment };
  });
  return { ...world, ...browsing(world), vote };

  /** A vote of now, whose voter has a name as the site sends it. */
  async function vote(name: 'harbour' | 'bees', userId: string, username: string, changed: object = {}) {
    return world.post(name, { event: 'server_vote', voter: { userId, username }, ...changed });
  }
}

function browsing({ openBrowser, url }: World) {
  return {
    /** What everyone gets at a path below `/c/`. */
    async visit(path: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${url}/c/${path}`, { headers, redirect: 'manual' });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    /** The browser of a member who signs in at the page of a community. */
    async signIn(slug: string, userId: string) {
      const browser = openBrowser();
      const at = (path: string) => `${publicUrl}/c/${path}`;
      const { location } = await browser.open(at(`${slug}/me/sign-in`));
      const body = new URLSearchParams({ user: userId, decision: 'authorize' });
      const consented = await fetch(location, { method: 'POST', body, redirect: 'manual' });
      const back = consented.headers.get('location') ?? '';
      const returned = await browser.open(back);
      return {
        ...{ browser, back, returned },
        open: (path: string) => browser.open(at(path)),
        async send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
          return browser.send(at(path), fields, headers);
        },
        formToken: async (path: string) => browser.formToken(at(path)),
      };
    },
  };
}
