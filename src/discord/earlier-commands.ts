/**
 * The commands that were registered before their ids were stored, with every description that they had. This list is final: a command
 * that is registered today is known by its id.
 */
const earlierDescriptions: Readonly<Record<string, readonly string[]>> = {
  canvote: ['See whether you can vote, or when you can vote again.'],
  reviews: ['Read what people say about this server.'],
  stats: ['See the profile of the server or bot, with its votes.'],
};

/** Whether a command without a stored id was registered by an earlier version: nobody else uses the same name with the same description. */
export function isEarlierCommand({ name, description }: { name: string; description: string }): boolean {
  return Object.hasOwn(earlierDescriptions, name) && earlierDescriptions[name]?.includes(description) === true;
}
