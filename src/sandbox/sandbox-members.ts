import { type ServiceMember, seededMembers, seededOwner } from 'listing-service';

const [first, ...others] = seededMembers;
if (first === undefined) throw new Error('The sample data has no members.');

/** Owns the guild and both listings, and has never voted. */
export const sandboxOwner: ServiceMember = first;

const toPerson = ({ userId, username }: ServiceMember) => ({ id: userId, username });

/** The members of the guild: the first ones of the service's sample data. The first one owns it. */
export const guildMembers = [sandboxOwner, ...others.slice(0, 5)].map(toPerson);

/** Members of the service who are not in the guild. They can vote on the service's own pages. */
export const voters = [seededOwner, ...others.slice(5)].map(toPerson);

/** The name of a member, or the id of an unknown one. */
export function memberName(userId: string): string {
  return [...guildMembers, ...voters].find(({ id }) => id === userId)?.username ?? userId;
}
