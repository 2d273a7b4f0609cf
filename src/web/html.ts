/** A piece of a page that is safe to send: everything foreign in it has been escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: strings and numbers are escaped, a list is written item by item. */
export type Fragment = Html | string | number | null | false | readonly Fragment[];

/** A template whose values are escaped, unless they are pages' pieces themselves. Null and false leave nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(parts.map((part, index) => part + write(values[index] ?? null)).join(''));
}

function write(value: Fragment): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(write).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
