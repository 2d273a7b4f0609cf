import { type AccountScope, homeAccounts } from '../ledger/account-id.ts';
import { partyPeriod } from '../rewards/party.ts';
import { calendarOf } from './community.ts';
import type { ListingContext } from './listing-context.ts';

/** The key of a community's party in a period: the id of the period at home, with the guild's id before it elsewhere. */
export function partyKey(accounts: AccountScope, period: string): string {
  return accounts ? `${accounts} ${period}` : period;
}

/** The community and the id of the period of a party. */
export function partyOf(key: string): { readonly accounts: AccountScope; readonly period: string } {
  const [, accounts = homeAccounts, period = key] = /^(\d+) (.*)$/.exec(key) ?? [];
  return { accounts, period };
}

/** The key of the party that a vote at this time (ms since the epoch) belongs to; null without a party. */
export function partyPeriodAt({ rewards, community }: ListingContext, at: number): string | null {
  if (rewards.party === null) return null;
  return partyKey(community.accounts, partyPeriod(rewards.party.per, calendarOf(community).dayAt(at)).id);
}
