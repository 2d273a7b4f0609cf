import { html } from '@tallyhook/platform/web/html';
import type { ConsoleCard } from '../parts.ts';
import type { RoleStore } from './store.ts';

/** The roles that members have, and those that Discord has rejected. */
export function roleCard(roles: Pick<RoleStore, 'summary'>): ConsoleCard {
  return {
    id: 'roles',
    title: ({ text }) => text('setup.sections.roles'),
    isScoped: true,
    async render({ memberLink, role: roleName, reason: explain, scope, texts }) {
      const { counts, parked } = await roles.summary(scope?.guildId ?? null);
      const { number } = texts;
      const { text } = texts;
      return html`<dl class="sums">${(['applied', 'pending', 'parked'] as const).map((state) => html`<div><dt>${text(`console.roles.${state}`)}</dt><dd>${number(counts[state])}</dd></div>`)}</dl>
${
  parked.length > 0 &&
  html`<ul class="items">${parked.map(
    ({ userId, role, reason }) =>
      html`<li><div class="line"><h3>${texts.text('setup.fields.milestoneRole')} ${roleName(role)}</h3> <span class="mark bad">${text('console.roles.parked')}</span> ${memberLink(userId)}</div>${reason !== null && html`<p>${explain(reason)}</p>`}</li>`,
  )}</ul>`
}`;
    },
  };
}
