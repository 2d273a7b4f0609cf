/**
 * In how many files a flow may run. Above a limit, join files that are one thought, or call what the flow does not need
 * only where it is needed.
 */
export const limits = {
  'vote with streak, milestone and announcement': { files: 75, mainFiles: 45 },
  '/canvote from the cache': { files: 25 },
  'purchase, up to the report to the owner': { files: 70 },
  'vote, reminder, direct message': { files: 90 },
  'change in /setup': { files: 110 },
} as const satisfies Readonly<Record<string, { readonly files: number; readonly mainFiles?: number }>>;

export type FlowName = keyof typeof limits;
