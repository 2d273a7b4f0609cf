import { type Html, html } from '@tallyhook/platform/web/html';
import type { PageFace } from './page-extension.ts';

/** The page of a Discord alone. */
export const ownFace: PageFace = {
  name: 'local Discord',
  title: 'Local Discord',
  icon: 'local-discord.svg',
  aside: {
    name: 'Activity',
    content: html`
        <div class="panel timeline-panel">
          <h2 id="activity-title">Activity</h2>
          <ol class="timeline" id="activity" aria-labelledby="activity-title"></ol>
        </div>
      `,
  },
  languages: {
    ofMember: 'The bot gets it with each interaction of this member.',
    ofGuild: 'The bot gets it with each interaction in this server.',
  },
  script: {
    source: () => new URL('./browser/main.ts', import.meta.url),
    built: () => new URL('./public/local-discord.js', import.meta.url),
  },
};

/** @param sheets the names of the stylesheets */
export function pageHtml(face: PageFace, sheets: readonly string[]): Html {
  const { name, title, icon, top, aside, dialogs, languages } = face;
  return html`<!doctype html>
<html lang="en" class="discord" data-program="${name}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
    <meta name="color-scheme" content="dark light" />
    <title>${title}</title>
    <link rel="icon" href="/${icon}" type="image/svg+xml" />
    ${sheets.map(
      (sheet) => html`<link rel="stylesheet" href="/${sheet}" />
    `,
    )}    <script type="module" src="/main.js"></script>
  </head>
  <body>
    <a class="skip" href="#composer-input">Skip to the message box</a>
    <div class="app" data-view="chat">
      <div class="guilds" aria-hidden="true"><span class="guild-icon" id="guild-icon"></span></div>
      <nav class="places" aria-label="Channels">
        <h1 class="guild" id="guild-name">…</h1>
        <div class="channel-lists">
          <section id="text-channels">
            <h2 class="category" id="text-title">Text channels</h2>
            <ul id="channels" aria-labelledby="text-title"></ul>
          </section>
          <section id="direct">
            <h2 class="category" id="direct-title">Direct messages</h2>
            <ul id="direct-channels" aria-labelledby="direct-title"></ul>
          </section>
          <section id="elsewhere">
            <h2 class="category" id="elsewhere-title">Another server</h2>
            <ul id="other-channels" aria-labelledby="elsewhere-title"></ul>
          </section>
          <section class="member-section">
            <div class="category-bar">
              <h2 class="category" id="members-title">Members – <span id="member-count"></span></h2>
              <button type="button" class="category-button" id="role-settings-open">Roles</button>
            </div>
            <ul id="members" aria-labelledby="members-title"></ul>
          </section>
        </div>
        <div class="acting">
          <button type="button" class="profile-open" id="profile-open" aria-label="Profile">
            <img class="avatar" id="acting-avatar" src="/${icon}" alt="" />
          </button>
          <label for="acting-as">Acting as</label>
          <select id="acting-as"></select>
          <button type="button" class="settings-open" id="settings-open" aria-label="Settings">⚙</button>
        </div>
      </nav>

${top ?? null}
      <main class="chat" id="chat">
        <header class="channel-bar">
          <h2 id="channel-name">…</h2>
          <p id="channel-topic"></p>
          <p class="connection" id="connection" role="status"></p>
        </header>
        <div class="log" id="log" role="log" aria-live="off" aria-label="Messages">
          <discord-messages id="messages" no-background></discord-messages>
        </div>
        <div class="jump-place">
          <button type="button" class="jump" id="jump-to-present" hidden>Jump to present <span aria-hidden="true">↓</span></button>
        </div>
        <p class="visually-hidden" id="announcer" role="status"></p>
        <form class="composer" id="composer" autocomplete="off">
          <div class="picker" id="picker" role="listbox" aria-label="Suggestions" hidden></div>
          <p class="composer-error" id="composer-error" role="alert"></p>
          <div class="composer-box">
            <label class="visually-hidden" for="composer-input">Slash command</label>
            <input
              id="composer-input"
              name="line"
              role="combobox"
              aria-autocomplete="list"
              aria-expanded="false"
              aria-controls="picker"
              aria-describedby="composer-error"
              autocapitalize="none"
              spellcheck="false"
              enterkeyhint="send"
              placeholder="Type / to list the commands"
            />
            <button class="send" type="submit" aria-label="Send">➤</button>
          </div>
        </form>
      </main>

      <aside class="side" aria-label="${aside.name}">${aside.content}</aside>

      <nav class="views" aria-label="View">
        <button type="button" data-show="chat" aria-pressed="true">Discord</button>
        <button type="button" data-show="side" aria-pressed="false">${aside.name}</button>
      </nav>
    </div>
    <dialog class="modal" id="modal" aria-labelledby="modal-title">
      <form id="modal-form" autocomplete="off">
        <h2 id="modal-title">…</h2>
        <div id="modal-fields"></div>
        <p class="composer-error" id="modal-error" role="alert"></p>
        <div class="modal-buttons">
          <button type="button" class="button secondary" id="modal-cancel">Cancel</button>
          <button type="submit" class="button primary">Submit</button>
        </div>
      </form>
    </dialog>
    <dialog class="modal" id="profile" aria-labelledby="profile-name">
      <div class="dialog-body">
        <div class="profile-head">
          <img class="avatar" id="profile-avatar" src="/${icon}" alt="" />
          <div>
            <h2 id="profile-name">…</h2>
            <p class="field-hint" id="profile-username"></p>
          </div>
        </div>
        <h3 class="category" id="profile-roles-title">Roles</h3>
        <section id="profile-roles" aria-labelledby="profile-roles-title"></section>
        <section id="profile-apps" aria-labelledby="profile-apps-title">
          <h3 class="category" id="profile-apps-title">Apps</h3>
          <div class="menu-commands" id="profile-commands"></div>
        </section>
        <label class="switch"><input type="checkbox" id="profile-accepts" /> Accepts direct messages from the bot</label>
        <p class="composer-error" id="profile-error" role="alert"></p>
        <div class="modal-buttons">
          <button type="button" class="button secondary" id="profile-membership">…</button>
          <button type="button" class="button primary" id="profile-close">Close</button>
        </div>
      </div>
    </dialog>
    <dialog class="modal" id="settings" aria-labelledby="settings-title">
      <div class="dialog-body">
        <h2 id="settings-title">Settings</h2>
        <div class="modal-field">
          <label for="member-language">Language of <span id="member-language-of">…</span></label>
          <select id="member-language"></select>
          <p class="field-hint">${languages.ofMember}</p>
        </div>
        <div class="modal-field">
          <label for="guild-language">Language of the server</label>
          <select id="guild-language"></select>
          <p class="field-hint">${languages.ofGuild}</p>
        </div>
        <div class="modal-field">
          <label for="theme">Theme</label>
          <select id="theme">
            <option value="system">Like the system</option>
            <option value="dark">Dark</option>
            <option value="light">Light</option>
          </select>
        </div>
        <p class="composer-error" id="settings-error" role="alert"></p>
        <div class="modal-buttons">
          <button type="button" class="button primary" id="settings-close">Close</button>
        </div>
      </div>
    </dialog>
    <dialog class="modal" id="role-settings" aria-labelledby="role-settings-title">
      <div class="dialog-body">
        <h2 id="role-settings-title">Roles of the server</h2>
        <p class="field-hint">The bot gives only roles below its own.</p>
        <ol id="guild-roles" aria-labelledby="role-settings-title"></ol>
        <p class="composer-error" id="role-error" role="alert"></p>
        <div class="modal-buttons">
          <button type="button" class="button primary" id="role-settings-close">Close</button>
        </div>
      </div>
    </dialog>
${dialogs ?? null}    <noscript>This page requires JavaScript, which is served from this machine.</noscript>
  </body>
</html>
`;
}
