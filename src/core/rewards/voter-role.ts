import type { Grant } from './grant.ts';
import type { VoterRole } from './rules.ts';

/** The voter role until the vote's time plus its duration. A vote that arrives late never shortens it. */
export function voterGrants(voterRole: VoterRole | null, userId: string, at: number): Grant[] {
  if (voterRole === null) return [];
  return [{ userId, role: voterRole.role, source: 'voter', until: at + voterRole.forMs, change: 'extend' }];
}
