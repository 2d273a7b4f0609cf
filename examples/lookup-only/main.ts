import { createLookup, LookupError } from 'tallyhook/client';

// The API key of your listing. The client caches responses and stays within 120 requests per minute.
const lookup = createLookup({
  kind: 'server',
  baseUrl: process.env['LOOKUP_BASE_URL'] ?? '',
  key: process.env['LOOKUP_SERVER_KEY'] ?? '',
});

/** What a website, a game server or another bot shows about a member. */
export async function describeVote(userId: string): Promise<string> {
  try {
    const { value, stale } = await lookup.voteStatus(userId);
    const age = stale ? ' (the service does not respond; last known)' : '';
    if (value.canVote) return `can vote now${age}`;
    return `can vote again in ${Math.ceil((value.secondsUntilVote ?? 0) / 60)} minutes${age}`;
  } catch (error) {
    if (error instanceof LookupError) return `unknown: ${error.message} ${error.hint}`;
    throw error;
  }
}

/** The listing with its newest reviews. */
export async function describeListing(): Promise<string[]> {
  const [profile, reviews] = await Promise.all([lookup.profile(), lookup.reviews({ limit: 3 })]);
  const { name, votes } = profile.value;
  const lines = reviews.value.reviews.map(({ rating, username, comment }) => `${rating}/5 ${username}: ${comment}`);
  return [`${name} has ${votes} votes and ${reviews.value.total} reviews`, ...lines];
}

const userIds = process.argv.slice(2).filter((argument) => /^\d{1,20}$/.test(argument));
if (userIds.length > 0) console.log((await describeListing()).join('\n'));
for (const userId of userIds) console.log(userId, await describeVote(userId));
