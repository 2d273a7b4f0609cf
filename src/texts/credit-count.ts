import { bold, type Markup, markup } from './markup.ts';

/** A number of credits: `grouped` is the formatted number, `credits` decides between singular and plural. */
export const creditCount = (credits: number, grouped: Markup) =>
  markup`${bold(grouped)} ${credits === 1 ? markup`credit` : markup`credits`}`;
