import type { z } from 'zod';
import { styleOf } from '../../core/announcements/announcement-style.ts';
import type { AnnouncementSettings } from '../../texts/announcement-settings.ts';
import { settings } from '../settings.ts';

type Setting = (typeof settings)[number];
type AnnouncementSpec = Extract<Setting, { readonly path: `announcements.${string}` }>;
/** Announcements that a listing states: undefined if it is left out, null if it is switched off. */
export type StatedAnnouncements = {
  readonly [Each in AnnouncementSpec as Each['path'] extends `announcements.${infer Name}` ? Name : never]?:
    | z.output<Each['schema']>
    | null
    | undefined;
};

const prefix = 'announcements.';
/** `announcements` of a listing. */
export const announcementSettings = (settings as readonly Setting[]).filter((spec): spec is AnnouncementSpec =>
  spec.path.startsWith(prefix),
);

/** The announcements of a listing with their defaults. */
export function readAnnouncements(stated: StatedAnnouncements = {}): AnnouncementSettings {
  const values: Readonly<Record<string, unknown>> = stated;
  const inEffect = announcementSettings.map(({ path, announces, default: usual = null }) => {
    const name = path.slice(prefix.length);
    return announces?.(values[name]) ?? { [name]: values[name] ?? usual };
  });
  return Object.assign({}, ...inEffect);
}

/** The announcements and the style of a listing for which nothing is configured. */
export const plainAnnouncements = readAnnouncements();
export const plainStyle = styleOf(plainAnnouncements);
