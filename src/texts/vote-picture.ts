const dates = new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', day: 'numeric' });
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** The picture of the votes per day. Plain texts: it has no markup. */
export const votePicture = {
  title: 'Votes per day',
  /** The headings of the figures; short. */
  total: '30 days',
  average: 'average',
  maximum: 'maximum',
  weekend: 'weekend',
  /** The alt text. `first`, `last` and `best` are days: their start in UTC (ms since the epoch). */
  description: (of: {
    readonly first: number;
    readonly last: number;
    readonly total: number;
    readonly average: number;
    readonly maximum: number;
    readonly best: number;
  }) =>
    `Bar chart of the votes per day from ${dates.format(of.first)} to ${dates.format(of.last)}. Total: ${numbers.format(of.total)}. Average per day: ${numbers.format(of.average)}. Maximum: ${numbers.format(of.maximum)} on ${dates.format(of.best)}.`,
};
