import { linkPath, showLink } from '../../src/core/settings/listing-settings.ts';
import { showValue } from '../../src/core/settings/shown-values.ts';
import { findSetting } from '../../src/features/settings.ts';
import { escapeName, type Markup } from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { maxNameLength } from './view.ts';

/** The value of a setting in a line, by its path. */
export function describeValue(path: string, value: unknown, texts: Texts): Markup {
  return showValue(path === linkPath ? { show: showLink } : findSetting(path), value, texts);
}

/** The name of a setting in the language of the member; the path itself for one that is not known. */
export function settingName(path: string, texts: Texts): Markup {
  const { rewards, announcements, ...names } = texts.setup.names;
  const [group = '', name = ''] = path.split('.', 2);
  const groups: Readonly<Record<string, Names>> = { rewards, announcements };
  const found = Object.hasOwn(groups, group) ? ownName(groups[group], name) : nameOf(names, path, group);
  return found ?? escapeName(path, maxNameLength);
}

/** `shop.vip.codes`, `shop.0.price`: parts of the shop. */
function nameOf(flat: Names, path: string, group: string): Markup | undefined {
  return ownName(flat, group === 'shop' && path.endsWith('.codes') ? 'codes' : group);
}

type Names = Readonly<Record<string, Markup>>;

/** The path may come from an imported text. */
function ownName(names: Names | undefined, name: string): Markup | undefined {
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}
