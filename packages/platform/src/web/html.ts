/** A part of a page that is safe to send: every value in it has been escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: strings and numbers are escaped, lists are joined. */
export type Fragment = Html | string | number | null | false | readonly Fragment[];

/**
 * A template that escapes its values, unless they are {@link Html}. Null and false render as nothing.
 * @example
 * ```ts
 * import { html } from 'tallyhook/sandbox';
 *
 * html`<p>${'<b>'}</p>`.text; // <p>&#60;b&#62;</p>
 * ```
 */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(parts.map((part, index) => part + render(values[index] ?? null)).join(''));
}

function render(value: Fragment): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
