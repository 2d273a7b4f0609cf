import { element } from './element.js';

const colors = 6;

/** A circle with a letter; the same one always has the same color. */
export function avatar(id, name) {
  const color = id === '' ? 0 : Number(BigInt(id) % BigInt(colors));
  const letter = [...name.replace(/^[^\p{L}\p{N}]+/u, '')][0] ?? '?';
  return element('span', { class: `avatar color-${color}`, 'aria-hidden': 'true' }, letter.toUpperCase());
}
