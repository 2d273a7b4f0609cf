import { isPseudonym } from '../core/ledger/pseudonym.ts';
import { parseJson } from '../platform/json.ts';
import type { OwnerContext } from './context.ts';
import { findUsername, maxGuilds } from './names.ts';

/** The newest deliveries in which names are searched, and how many members are found. */
const searchedDeliveries = 500;
const maxFound = 20;

/** Members by a part of their name: those of the newest deliveries, and those who Discord says, by id. Never rejects. */
export async function searchMembers(
  { records, guilds, scope }: Pick<OwnerContext, 'records' | 'guilds' | 'scope'>,
  text: string,
): Promise<ReadonlyMap<string, string>> {
  const wanted = text.toLocaleLowerCase();
  const ids = scope === null ? guilds.ids().slice(0, maxGuilds) : [scope.guildId];
  const asked = ids.map((id) => guilds.reader?.search(id, text) ?? Promise.resolve([]));
  const [deliveries, said] = await Promise.all([
    records.deliveries({ limit: searchedDeliveries, before: null }),
    Promise.all(asked.map((each) => each.catch(() => []))),
  ]);
  const ofDeliveries = deliveries.flatMap(({ userId, body }) => {
    const name = userId === null || isPseudonym(userId) ? null : findUsername(parseJson(body), userId);
    return userId !== null && name?.toLocaleLowerCase().includes(wanted) ? [[userId, name] as const] : [];
  });
  const all = [...said.flat().map(({ id, name }) => [id, name] as const), ...ofDeliveries];
  return new Map([...new Map(all)].slice(0, maxFound));
}
