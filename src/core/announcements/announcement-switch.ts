import { z } from 'zod';
import type { AnnouncementSettings } from '../../texts/announcement-settings.ts';
import type { TextIn } from '../../texts/texts.ts';
import { setting } from '../settings/setting-spec.ts';

/** A setting of something that is announced or shown, or not. @param isOn whether it is, if no listing says otherwise */
export function announcementSwitch<const Name extends keyof AnnouncementSettings & TextIn<'setup.choices'>>(
  name: Name,
  description: string,
  isOn = true,
  field: 'switches' | 'show' = 'switches',
) {
  return setting({
    path: `announcements.${name}`,
    description,
    default: isOn,
    schema: z.boolean(),
    inFile: ({ announcements }) => announcements[name],
    form: field === 'show' ? 'text' : 'style',
    fields: [{ name: field, kind: 'switch', choice: name }],
  });
}
