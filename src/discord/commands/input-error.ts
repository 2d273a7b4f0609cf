import type { Markup } from '@tallyhook/platform/texts/markup';

/**
 * The input of the member cannot be used, or not now. The member sees the text, which says why and what they can do.
 * @category Commands
 */
export class InputError extends Error {
  readonly text: Markup;

  constructor(text: Markup) {
    super(text);
    this.name = 'InputError';
    this.text = text;
  }
}
