import { channels, cooldown, rewards } from '../../commands/setup/core-sections.ts';
import { settingsForm } from '../../commands/setup/form.ts';
import type { SetupSection } from '../../commands/setup/section.ts';
import { announcements } from './announcements/setup.ts';
import { roles } from './roles/setup.ts';
import { shop } from './shop/setup.ts';

/** The sections of `/setup`, in the order of its overview. */
export const setupSections: readonly SetupSection[] = [
  channels,
  { ...rewards, forms: [...rewards.forms, settingsForm('party', 'party')] },
  roles,
  cooldown,
  shop,
  announcements,
];
