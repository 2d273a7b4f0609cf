import { findLinkableSite } from '../../src/core/settings/listing-settings.ts';
import type { SettingField } from '../../src/core/settings/setting-spec.ts';
import { choicesOf } from '../../src/core/settings/shown-values.ts';
import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, ModalField, PanelBlock } from '../../src/discord/commands/reply.ts';
import type { LinkResult } from '../../src/features/setup/community.ts';
import { idForm } from '../../src/platform/pasted-forms.ts';
import { bold, escapeName, lines, type Markup, markup } from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { linkableSites } from '../../src/webhook/sites/index.ts';
import { type Site, trustOf } from '../../src/webhook/sites/site.ts';
import { modalFields } from './form.ts';
import { authorOf, escapedName, type SetupView, selectBlock } from './view.ts';

const kindField: SettingField = { name: 'kind', kind: 'radios', choices: choicesOf('server', 'bot') };
const botField: SettingField = { name: 'botId', kind: 'text', hint: 'botId', maxLength: 20 };

/** The other sites, each with how far its votes can be trusted. */
export function siteStep({ texts }: SetupView): PanelBlock {
  const choices = linkableSites.map((site) => ({
    label: site.name,
    value: site.id,
    description: trustIn(texts, site),
  }));
  return selectBlock({ kind: 'choices', action: 'site', placeholder: texts.setup.placeholders.site, choices });
}

/** How strong the scheme of a site is. */
export function trustText(texts: Texts, site: Site): Markup {
  return escapeName(trustIn(texts, site), maxTrustLength);
}

const maxTrustLength = 100;

/** Plain; empty for a site of the operator's without any scheme. */
function trustIn({ setup }: Texts, site: Site): string {
  return { ...setup.trust, none: '' }[trustOf(site)];
}

/** What to click on the site. */
export function siteSteps({ setup }: Texts, { name, setup: { secret, choice } }: Site): Markup {
  const { siteOpen, siteEnter, siteEnterAddress, siteChoose, siteTest } = setup.link;
  const steps = [
    siteOpen(bold(escapedName(name))),
    secret === 'ours' ? siteEnter : siteEnterAddress,
    ...(choice === undefined ? [] : [siteChoose(bold(escapedName(choice)))]),
    siteTest,
  ];
  return lines(...steps.map((step, index) => markup`${index + 1}. ${step}`));
}

/** The site that a select or a component names; null for a forged one. */
export function chosenSite({ input }: SetupView): Site | null {
  return findLinkableSite(input.values[0] ?? input.options['w']);
}

/** The form for a listing on a site, with what is not known already; null if that is everything. */
export function siteForm({ texts, input }: SetupView, site: Site): Modal | null {
  const { kinds, setup } = site;
  const asked: readonly ModalField[] = [
    ...(kinds.length === 2 ? modalFields([kindField], 'server', texts) : []),
    ...(kinds.includes('bot') ? modalFields([botField], input.applicationId, texts) : []),
    ...(setup.secret === 'theirs' ? [secretField(texts, site)] : []),
  ];
  return asked.length === 0
    ? null
    : { kind: 'modal', title: site.name, action: 'site-linked', options: { w: site.id }, fields: asked };
}

/** A secret: ours unless the owner enters another one, or the one that the site has made. */
export function secretField({ setup: { fields, hints } }: Texts, site: Site | null): ModalField {
  const { secret, secretPrefix } = site?.setup ?? { secret: 'ours' };
  const field = { kind: 'text', name: 'secret', label: fields.secret, maxLength: 200 } as const;
  if (secret === 'ours') return { ...field, description: hints.secret, required: false };
  return { ...field, description: hints.siteSecret, ...(secretPrefix && { placeholder: `${secretPrefix}…` }) };
}

/** Links a listing on a site; its webhook gets a secret of ours unless the site has made one. */
export function linkSite(view: SetupView, site: Site): Promise<LinkResult> {
  const { input, guildId } = view;
  const [onlyKind = 'server'] = site.kinds;
  const kind = site.kinds.find((each) => each === input.fields['kind']) ?? onlyKind;
  return view.services.settings.link({
    ...authorOf(view),
    kind,
    site: site.id,
    targetId: kind === 'server' ? guildId : idForm('any').clean(textField(input, 'botId')) || input.applicationId,
    lookupKey: null,
    voteSecret: textField(input, 'secret') || null,
  });
}
