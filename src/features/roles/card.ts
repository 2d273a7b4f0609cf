import { formatCount } from '../../platform/durations.ts';
import { html } from '../../platform/web/html.ts';
import type { ConsoleCard } from '../parts.ts';
import type { RoleStore } from './store.ts';

/** The roles that members have, and those that Discord has rejected. */
export function roleCard(roles: Pick<RoleStore, 'summary'>): ConsoleCard {
  return {
    id: 'roles',
    title: 'Roles',
    isScoped: true,
    async render({ memberLink, text, scope }) {
      const { counts, parked } = await roles.summary(scope?.guildId ?? null);
      return html`<p>${formatCount(counts.applied, 'role')} given, ${counts.pending.toLocaleString('en')} waiting, ${counts.parked.toLocaleString('en')} rejected by Discord.</p>
${
  parked.length > 0 &&
  html`<ul class="items">${parked.map(
    ({ userId, role, source, reason }) =>
      html`<li><div class="line"><h3>role ${role}</h3> <span class="mark bad">rejected</span> ${memberLink(userId)} <span class="quiet">${source}</span></div><p>${reason === null ? 'Discord rejected it; the reason is not stored any more.' : text(reason)}</p></li>`,
  )}</ul>`
}`;
    },
  };
}
