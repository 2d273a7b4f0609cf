import { expect, onTestFinished, test } from 'vitest';
import { fileReport, type NewReport, reportsOfReporter } from '../src/abuse/reports.ts';
import { createOwnersListing, defaultServerFacts } from '../src/actions/create-listing.ts';
import { serviceCommand } from '../src/cli/service-command.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { issueKey } from '../src/storage/listings/keys.ts';
import { updateListingState } from '../src/storage/listings/listings.ts';
import { botId, mira, ownerId, type Running, running, serverId, tobias } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';
import { type Visit, visit } from '../testing/visit.ts';

const operatorId = mira.userId;

interface Moderated extends Running {
  readonly stored: Database;
  readonly operator: Visit;
  /** A review with a report, and its author. */
  readonly reviewId: number;
  readonly authorId: string;
  report(changes?: Partial<NewReport>): Promise<string>;
}

async function moderated(): Promise<Moderated> {
  const all = await running({ operators: [operatorId] });
  const stored = await openDatabase(all.database);
  onTestFinished(() => stored.destroy());
  const review = await stored.selectFrom('reviews').select(['id', 'user_id']).limit(1).executeTakeFirstOrThrow();
  const report = (changes: Partial<NewReport> = {}) =>
    fileReport(stored, {
      ...{ kind: 'review', listingId: serverId, reviewId: review.id, reporterId: tobias.userId },
      ...{ reason: 'spam', text: '"><img src=x> it sells votes', now: all.clock.now() },
      ...changes,
    });
  await report();
  return {
    ...all,
    stored,
    operator: await visit(all, operatorId),
    reviewId: review.id,
    authorId: review.user_id,
    report,
  };
}

const reviewForm = ({ authorId }: Moderated, action: string, reason = '') => ({
  ...{ kind: 'review', listingId: serverId, reviewUserId: authorId },
  ...{ action, reason },
});

test('for everybody but operators, the moderation pages do not exist', async () => {
  const all = await moderated();
  const member = await visit(all, tobias.userId);
  for (const path of ['', '/listings', '/members', '/log']) {
    expect((await fetch(`${all.service.url}/moderation${path}`)).status, path).toBe(404);
    expect((await member.open(`/moderation${path}`)).status, path).toBe(404);
    const page = await all.operator.open(`/moderation${path}`);
    expect([page.status, page.headers.get('cache-control')], path).toEqual([200, 'no-store']);
  }
  for (const path of ['/reports', '/listings', '/members']) {
    const fields = { listingId: serverId, userId: tobias.userId, kind: 'listing', reviewUserId: '', reason: 'x' };
    for (const action of ['hide', 'ban', 'hide-listing', 'dismiss']) {
      expect((await member.send(`/moderation${path}`, { ...fields, action })).status, path).toBe(404);
    }
    expect((await all.operator.send(`/moderation${path}`, { ...fields, token: member.token })).status).toBe(403);
  }
  expect((await member.open('/')).text).not.toContain('/moderation');
  expect((await all.operator.open('/')).text).toContain('href="/moderation"');
  expect(await all.stored.selectFrom('moderation_log').selectAll().execute()).toEqual([]);
});

test('the queue groups reports by target, with the identity of the reporters, escaped', async () => {
  const all = await moderated();
  await all.report({ reporterId: ownerId, text: 'spam again' });
  await all.report({ kind: 'listing' });
  const { text } = await all.operator.open('/moderation');
  expect(text.match(/<article/g)).toHaveLength(2);
  expect(text).toContain('2 reports');
  expect(text).toContain('&#34;&#62;&#60;img src=x&#62; it sells votes');
  expect(text).toContain(tobias.userId);
  const german = (await all.operator.open('/moderation', { 'accept-language': 'de' })).text;
  expect(german).toContain('2 Meldungen');
  expect(german).toContain('>Bewertung entfernen und Mitglied sperren<');
  const publicPage = (await all.operator.open(`/servers/${serverId}`)).text;
  expect(publicPage).not.toContain(tobias.userId);
});

test('a dismissed report leaves the queue and the review stays; a removed review takes its reports along', async () => {
  const all = await moderated();
  const reviews = async () => (await all.stored.selectFrom('reviews').select('id').execute()).map(({ id }) => id);
  expect((await all.operator.send('/moderation/reports', reviewForm(all, 'dismiss'))).status).toBe(303);
  expect((await all.operator.open('/moderation')).text).toContain('There are no open reports.');
  expect(await reviews()).toContain(all.reviewId);
  expect(await all.report()).toBe('filed');
  expect((await all.operator.send('/moderation/reports', reviewForm(all, 'remove-review'))).status).toBe(400);
  const removed = await all.operator.send('/moderation/reports', reviewForm(all, 'remove-review', 'An advertisement.'));
  expect(removed.headers.get('location')).toBe('/moderation?notice=moderated');
  expect(await reviews()).not.toContain(all.reviewId);
  const states = (await reportsOfReporter(all.stored, tobias.userId, 10)).map(({ state }) => state);
  expect(states).toEqual(expect.arrayContaining(['dismissed', 'upheld']));
  const again = await all.operator.send('/moderation/reports', reviewForm(all, 'remove-review', 'Again.'));
  expect(again.headers.get('location')).toBe('/moderation?notice=nothing-moderated');
  const log = (await all.operator.open('/moderation/log')).text;
  expect(log).toContain('An advertisement.');
  expect(log).not.toContain('Again.');
});

test('a pending bot is published or rejected, and a listing is hidden with a reason', async () => {
  const all = await moderated();
  await updateListingState(all.stored, botId, 'pending', null);
  const stateOf = (id: string) =>
    all.stored.selectFrom('listings').select(['state', 'state_reason']).where('id', '=', id).executeTakeFirst();
  expect((await all.operator.open('/moderation')).text).toContain(`id="pending-${botId}"`);
  await all.operator.send('/moderation/listings', { listingId: botId, action: 'publish' });
  expect(await stateOf(botId)).toEqual({ state: 'published', state_reason: null });
  await all.operator.send('/moderation/listings', { listingId: serverId, action: 'hide', reason: 'It sells votes.' });
  expect(await stateOf(serverId)).toEqual({ state: 'hidden', state_reason: 'It sells votes.' });
  expect((await all.operator.open('/moderation/listings')).text).toContain('It sells votes.');
  const unknown = await all.operator.send('/moderation/listings', { listingId: '1', action: 'hide', reason: 'x' });
  expect(unknown.headers.get('location')).toContain('nothing-moderated');
});

test('the command line lists what waits', async () => {
  const all = await moderated();
  await updateListingState(all.stored, botId, 'pending', null);
  const [plain, json] = [captive(), captive()];
  const args = ['moderation', '--database', all.database];
  expect(await serviceCommand(args, plain.terminal)).toBe(0);
  expect(plain.output()).toContain('1 open report, 1 listing waiting for approval.');
  expect(plain.output()).toContain(`pending bot ${botId}`);
  expect(await serviceCommand([...args, '--json'], json.terminal)).toBe(0);
  const target = { kind: 'review', listingId: serverId, reviewUserId: all.authorId, reports: 1 };
  expect(JSON.parse(json.output())).toMatchObject({ openReports: 1, reported: [target], pending: [{ id: botId }] });
});

test('a ban takes effect and is lifted on the pages', async () => {
  const all = await moderated();
  const author = await visit(all, all.authorId);
  const vote = async () => (await author.send(`/bots/${botId}/vote`, {})).status;
  await all.operator.send('/moderation/reports', reviewForm(all, 'ban', 'Advertises everywhere.'));
  expect(await vote()).toBe(403);
  expect((await all.operator.open('/moderation/members')).text).toContain('Advertises everywhere.');
  await all.operator.send('/moderation/members', { userId: all.authorId, action: 'lift' });
  expect(await vote()).toBe(303);
  const actions = await all.stored.selectFrom('moderation_log').select(['action', 'operator_id']).execute();
  expect(actions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['ban-member', 'remove-review', 'lift-ban']),
  );
  expect(new Set(actions.map(({ operator_id }) => operator_id))).toEqual(new Set([operatorId]));
});

test('the author of a reported review can be banned also after the review was deleted', async () => {
  const all = await moderated();
  const author = await visit(all, all.authorId);
  await author.send(`/servers/${serverId}/reviews/delete`, {});
  const page = (await all.operator.open('/moderation')).text;
  expect(page).toContain(`Its author was <code>${all.authorId}</code>`);
  expect(page).toContain('Ban member');
  const banned = await all.operator.send('/moderation/reports', reviewForm(all, 'ban', 'Insults.'));
  expect(banned.headers.get('location')).toBe('/moderation?notice=moderated');
  expect((await author.send(`/bots/${botId}/vote`, {})).status).toBe(403);
});

test('a bot that was never published does not keep others from using its id', async () => {
  const all = await moderated();
  const listing = { id: '88', name: 'Mine', description: '', tags: [], createdAt: 1 };
  const addBot = (by: string) =>
    createOwnersListing(
      all.stored,
      { ...listing, ownerId: by, kind: 'bot', facts: { servers: 1, shards: 1 } },
      'pending',
    );
  const addServer = (by: string) =>
    createOwnersListing(
      all.stored,
      { ...listing, ownerId: by, kind: 'server', facts: defaultServerFacts },
      'published',
    );
  const owner = async () => (await all.service.listings()).find(({ id }) => id === '88')?.ownerId;
  const decide = (action: string) => {
    all.clock.leap(1);
    return all.operator.send('/moderation/listings', { listingId: '88', action, reason: 'Not yours.' });
  };

  expect(await addBot(tobias.userId)).toBe('created-pending');
  const key = await issueKey(all.stored, { id: '88', kind: 'bot' }, 'x', 1);
  expect(await addBot(ownerId)).toBe('listed');
  await decide('hide');
  expect([await addBot(ownerId), await owner()]).toEqual(['created-pending', ownerId]);
  expect((await all.get('/bot', { 'X-API-Key': key })).status).toBe(401);
  await decide('publish');
  await decide('hide');
  expect([await addBot(tobias.userId), await addServer(tobias.userId)]).toEqual(['listed', 'listed']);

  await all.stored.deleteFrom('listings').where('id', '=', '88').execute();
  await all.stored.deleteFrom('moderation_log').execute();
  expect(await addBot(tobias.userId)).toBe('created-pending');
  expect([await addServer(ownerId), await owner()]).toEqual(['created', ownerId]);
  expect(await addServer(tobias.userId)).toBe('listed');
});

test('a hidden listing that its owner deletes and adds again waits for approval', async () => {
  const all = await moderated();
  const create = () =>
    createOwnersListing(all.stored, { ...listing, kind: 'bot', facts: { servers: 1, shards: 1 } }, 'published');
  const listing = { id: '77', name: 'Again', description: '', tags: [], ownerId: tobias.userId, createdAt: 1 };
  expect(await create()).toBe('created');
  await all.operator.send('/moderation/listings', { listingId: '77', action: 'hide', reason: 'It is fake.' });
  await all.stored.deleteFrom('listings').where('id', '=', '77').execute();
  expect(await create()).toBe('created-pending');
  all.clock.leap(1);
  await all.operator.send('/moderation/listings', { listingId: '77', action: 'publish' });
  await all.stored.deleteFrom('listings').where('id', '=', '77').execute();
  expect(await create()).toBe('created');
});
