import { z } from 'zod';
import type { TextIn } from '../../texts/texts.ts';
import { addedValue } from '../added-value.ts';
import { setting } from '../settings/setting-spec.ts';

/** A setting of something that is announced or shown, or not. @param isOn whether it is, if no listing says otherwise */
export function announcementSwitch<const Name extends TextIn<'setup.choices'>>(
  name: Name,
  description: string,
  isOn = true,
  field: 'switches' | 'show' = 'switches',
) {
  const value = addedValue(name, isOn);
  return setting({
    path: `announcements.${name}`,
    description,
    default: isOn,
    schema: z.boolean(),
    inFile: ({ announcements }) => value.in(announcements),
    form: field === 'show' ? 'text' : 'style',
    fields: [{ name: field, kind: 'switch', choice: name }],
  });
}
