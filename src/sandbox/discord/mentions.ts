import type { DiscordState } from './discord-state.ts';
import type { AllowedMentions } from './message-schema.ts';
import type { Message, User } from './objects.ts';

type Mentions = Pick<Message, 'mentions' | 'mention_roles' | 'mention_everyone'>;

/**
 * The users and roles that a text pings: its mentions, filtered by `allowed_mentions`; without that field all of them.
 * Embeds never ping. Discord: "Allowed Mentions Object".
 */
export function findMentions(
  state: DiscordState,
  content: string,
  allowed: AllowedMentions | null | undefined,
): Mentions {
  const parse = allowed ? (allowed.parse ?? []) : ['users', 'roles', 'everyone'];
  const isAllowed = (kind: 'users' | 'roles', id: string) =>
    parse.includes(kind) || (allowed?.[kind]?.includes(id) ?? false);
  const users = matchedIds(content, /<@!?(\d{1,20})>/g).filter((id) => isAllowed('users', id));
  const roles = matchedIds(content, /<@&(\d{1,20})>/g).filter((id) => isAllowed('roles', id));
  return {
    mentions: users.map((id) => state.user(id)).filter((user): user is User => user !== undefined),
    mention_roles: roles,
    mention_everyone: parse.includes('everyone') && /@(everyone|here)/.test(content),
  };
}

function matchedIds(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? ''))];
}
