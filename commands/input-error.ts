import type { Markup } from '../src/texts/markup.ts';

/** The input of the member cannot be used. The member sees the text, which says why and what else they can enter. */
export class InputError extends Error {
  readonly text: Markup;

  constructor(text: Markup) {
    super(text);
    this.name = 'InputError';
    this.text = text;
  }
}
