import type { Mutation } from '../mutation.ts';

/** The client of the lookup API: cache, rate budget, errors. */
export const lookupMutations: readonly Mutation[] = [
  {
    file: 'src/lookup/budget.ts',
    find: 'const windowMs = limit.periodMs + options.timeoutMs + windowMarginMs;',
    replace: 'const windowMs = limit.periodMs;',
    breaks: 'requests that arrive late stay within the rate limit of the service',
  },
  {
    file: 'src/lookup/budget.ts',
    find: 'const limiting = latestFirst[limit - 1];',
    replace: 'const limiting = latestFirst[limit];',
    breaks: 'at most 120 requests per minute are sent',
  },
  {
    file: 'src/lookup/budget.ts',
    find: 'blockedUntil = Math.max(blockedUntil, clock.monotonic() + until - clock.now());',
    replace: '',
    breaks: 'no request is sent before the time that the service names',
  },
  {
    file: 'src/lookup/cache.ts',
    find: 'return now < options.freshUntil(entry) && !isExpired(entry, now) && entry.asOf >= notBefore;',
    replace: 'return !isExpired(entry, now) && entry.asOf >= notBefore;',
    breaks: 'an entry that is not fresh any more is requested again',
  },
  {
    file: 'src/lookup/cache.ts',
    find: 'const flight = current ?? start(id, notBefore);',
    replace: 'const flight = start(id, notBefore);',
    breaks: 'identical lookups at the same time send one request',
  },
  {
    file: 'src/lookup/freshness.ts',
    find: 'if (value.canVote || value.nextVoteAt === null) return asOf + 30 * second;',
    replace: 'if (value.canVote || value.nextVoteAt === null) return asOf + 30 * minute;',
    breaks: 'that a member may vote is asked again after 30 seconds',
  },
  {
    file: 'src/lookup/freshness.ts',
    find: 'Math.max(1, Math.ceil((nextVoteAt - now) / second))',
    replace: 'Math.floor((nextVoteAt - now) / second)',
    breaks: 'the wait for the next vote is rounded up, so that 0 means now',
  },
  {
    file: 'src/lookup/get-text.ts',
    find: "redirect: 'manual',",
    replace: "redirect: 'follow',",
    breaks: 'the API key is not sent to where a redirect points',
  },
  {
    file: 'src/lookup/get-text.ts',
    find: 'if (bytes > maxResponseBytes) {',
    replace: 'if (chunk.byteLength > maxResponseBytes) {',
    breaks: 'a response of the service that never ends is cut off',
  },
  {
    file: 'src/lookup/sites/site-client.ts',
    find: 'return voteOf(userId, await votes.read(memberOf(userId), { notBefore }));',
    replace: 'return voteOf(userId, await votes.read(memberOf(userId)));',
    breaks: 'a site is asked again whether a delivered vote is genuine',
  },
  {
    file: 'src/lookup/sites/site-client.ts',
    find: 'servesStale: false,',
    replace: 'servesStale: true,',
    breaks: 'a site that fails is never taken to say that a member has not voted',
  },
  {
    file: 'src/lookup/sites/shared-blocks.ts',
    find: 'void log.acquire(keyId, until - blockMs, blockMs, maxBlocks).catch(() => {});',
    replace: '',
    breaks: 'no process asks top.gg while it rejects the key',
  },
  {
    file: 'src/features/rate-alarms/rate.ts',
    find: 'return Math.max(minLimit, Math.floor((factor * usual) / 1_000));',
    replace: 'return Math.max(minLimit, Math.floor((factor * factor * usual) / 1_000));',
    breaks: 'more than ten times the votes of a usual hour are held',
  },
  {
    file: 'src/features/rate-alarms/feature.ts',
    find: 'if (rowWriter.isReleased) return null;',
    replace: '',
    breaks: 'a released vote is paid, and not held again',
  },
  {
    file: 'src/features/corrections/reverse-member.ts',
    find: 'return isIn && reason !== reversedReason &&',
    replace: 'return isIn &&',
    breaks: 'what a reversed vote has earned is taken back once',
  },
];
