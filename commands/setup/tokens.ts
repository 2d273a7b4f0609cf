import { parseDuration } from '@tallyhook/platform/duration-text';
import {
  codeBlock,
  escapeName,
  joined,
  lines,
  type Markup,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { durationChoices } from '../../src/core/settings/value-schemas.ts';
import { selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { Modal, Panel } from '../../src/discord/commands/reply.ts';
import { type ApiToken, isValid, maxTokenNameLength, maxTokens, tokenScopes } from '../../src/features/tokens/store.ts';
import { textInput } from './form.ts';
import { escapedName, modal, panel, type SetupView, selectBlock } from './view.ts';

/** After which a token can be set to end. */
const lifetimes = ['30d', '90d', '365d'] as const;
const endless = 'never';

async function validTokens(view: SetupView): Promise<readonly ApiToken[]> {
  const communityId = view.services.communityIdOf(view.guildId);
  if (communityId === null) return [];
  const now = view.clock.now();
  const all = await view.services.tokens.list(communityId);
  return all.filter((token) => isValid(token, now));
}

/** The tokens of the community, with a select that revokes one. */
export async function renderTokens(view: SetupView): Promise<Panel> {
  const { text } = view;
  const tokens = await validTokens(view);
  const choices = tokens.map(({ id, name }) => ({ label: plainName(name), value: String(id) }));
  return panel(
    'plain',
    escapedName(text('setup.buttons.tokens')),
    [
      text('setup.tokens.intro'),
      tokens.length === 0 ? text('setup.tokens.none') : lines(...tokens.map((token) => describeToken(token, view))),
      tokens.length > 0 &&
        selectBlock({ kind: 'choices', action: 'token', placeholder: text('setup.placeholders.revokeToken'), choices }),
    ],
    [tokens.length < maxTokens && view.button('newToken', 'new-token', {}, 'primary'), view.overviewButton],
  );
}

function describeToken({ name, scopes, usedAt, expiresAt }: ApiToken, { text, texts }: SetupView): Markup {
  const names = escapedName(texts.list(scopes.map((scope) => text(`setup.choices.${scope}`))));
  const used =
    usedAt === null ? text('setup.tokens.unused') : text('setup.tokens.used', { time: timestamp(usedAt, 'R') });
  const end = expiresAt === null ? null : text('setup.tokens.ends', { time: timestamp(expiresAt, 'R') });
  return lines(
    text('setup.tokens.line', { name: escapeName(name), scopes: names }),
    subtext(joined([used, end], ' · ')),
  );
}

/** The form for a new token. */
export function tokenForm({ text, texts }: SetupView): Modal {
  const ends = durationChoices(lifetimes, '', texts).map(([value, label]) => ({ value, label }));
  const scopes = tokenScopes.map((value) => ({
    value,
    label: text(`setup.choices.${value}`),
    selected: value === 'read',
  }));
  return modal(text('setup.buttons.newToken'), 'token-created', [
    textInput(texts, 'tokenName', { hint: 'tokenName', maxLength: maxTokenNameLength }),
    { kind: 'checkboxes', name: 'tokenScopes', label: text('setup.fields.tokenScopes'), choices: scopes },
    {
      kind: 'choices',
      name: 'tokenEnd',
      label: text('setup.fields.tokenEnd'),
      choices: [{ value: endless, label: text('setup.choices.never'), selected: true }, ...ends],
    },
  ]);
}

/** Creates the token of the form, and shows it, once. */
export async function createToken(view: SetupView): Promise<Panel> {
  const { input, services, clock } = view;
  const { text } = view;
  const communityId = view.services.communityIdOf(view.guildId);
  const name = textField(input, 'tokenName').toWellFormed().replaceAll(/\p{C}/gu, '').slice(0, maxTokenNameLength);
  const scopes = tokenScopes.filter((scope) => selectedValues(input, 'tokenScopes').includes(scope));
  const lifetime = lifetimes.find((each) => each === selectedValues(input, 'tokenEnd')[0]);
  if (communityId === null || name === '' || scopes.length === 0) return renderTokens(view);
  const expiresAt = lifetime === undefined ? null : clock.now() + parseDuration(lifetime);
  const created = await services.tokens.create({ communityId, name, scopes, expiresAt, createdBy: input.userId });
  // The list says how many there are.
  if (created === null) return renderTokens(view);
  return panel(
    'good',
    text('setup.tokens.created', { name: escapeName(name) }),
    [codeBlock(created.secret), subtext(text('setup.tokens.once'))],
    [view.button('tokens', 'tokens'), view.overviewButton],
  );
}

/** Asks before a token is revoked. */
export async function renderToken(view: SetupView): Promise<Panel> {
  const { text } = view;
  const token = (await validTokens(view)).find(({ id }) => String(id) === view.input.values[0]);
  if (token === undefined) return renderTokens(view);
  return panel(
    'bad',
    text('setup.tokens.revokeTitle', { name: escapeName(token.name) }),
    [describeToken(token, view), text('setup.tokens.revoke')],
    [view.button('confirmRevoke', 'token-revoked', { id: token.id }, 'danger'), view.button('cancel', 'tokens')],
  );
}

export async function revokeToken(view: SetupView): Promise<Panel> {
  const { input, services } = view;
  const communityId = view.services.communityIdOf(view.guildId);
  const id = Number(input.options['id']);
  if (communityId !== null && Number.isSafeInteger(id)) await services.tokens.revoke(communityId, id, input.userId);
  return renderTokens(view);
}
