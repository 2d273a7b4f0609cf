import { escapeName, type Markup } from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { maxNameLength } from './view.ts';

/** The name of a setting in the language of the member; the path itself for one that is not known. */
export function settingName(path: string, texts: Texts): Markup {
  const { rewards, announcements, ...names } = texts.setup.names;
  const [group = '', name = ''] = path.split('.', 2);
  const groups: Readonly<Record<string, Readonly<Record<string, Markup>>>> = { rewards, announcements };
  const flat: Readonly<Record<string, Markup>> = names;
  const found = Object.hasOwn(groups, group) ? groups[group]?.[name] : nameOf(flat, path, group);
  return found ?? escapeName(path, maxNameLength);
}

/** `shop.vip.codes`, `shop.0.price`: parts of the shop. */
function nameOf(flat: Readonly<Record<string, Markup>>, path: string, group: string): Markup | undefined {
  if (group === 'shop' && path.endsWith('.codes')) return flat['codes'];
  return Object.hasOwn(flat, group) ? flat[group] : undefined;
}
