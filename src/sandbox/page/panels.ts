import { html } from '@tallyhook/platform/web/html';
import type { PageFace } from 'local-discord/page';

/** Leads to the owner's console, signed in. */
export const consolePath = '/console';

/** The tours, the listing service, faults, the timeline and the doctor. */
export const sandboxFace = {
  name: 'sandbox',
  title: 'tallyhook sandbox',
  icon: 'sandbox.svg',
  top: html`
      <section class="tour" id="hint-panel" aria-label="Tours" hidden>
        <div class="tour-names" id="tour-names"></div>
        <div class="hint">
          <div id="hint"></div>
          <button type="button" class="hint-go" id="hint-go">…</button>
        </div>
      </section>`,
  aside: {
    name: 'Listing service',
    content: html`
        <section class="panel" aria-labelledby="service-title">
          <h2 id="service-title">Listing service</h2>
          <p class="panel-note" id="service-link" hidden></p>
          <p class="balance"><span id="balance-of">…</span> <strong id="balance">…</strong></p>
          <div class="votes" id="votes"></div>
          <div class="panel" id="sites" hidden>
            <h3>Imitations of other sites</h3>
            <p class="panel-note" id="site-links"></p>
            <div class="votes" id="site-votes"></div>
          </div>
          <p class="vote-result" id="vote-result" role="status"></p>
        </section>
        <section class="panel" aria-labelledby="trouble-title">
          <h2 id="trouble-title">Inject faults</h2>
          <p class="panel-note clock"><span class="visually-hidden">Sandbox time:</span> <span id="sandbox-time">…</span></p>
          <div class="troubles" id="troubles"></div>
          <p class="trouble-result" id="trouble-result" role="status"></p>
          <p class="operator">
            <a href="${consolePath}" target="_blank" rel="noopener">Open owner console ↗</a>
            <button type="button" class="link" id="doctor-run">Run doctor</button>
          </p>
        </section>
        <section class="panel timeline-panel" aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <p class="panel-note"><button type="button" class="link" id="timeline-commands" hidden></button></p>
          <p class="visually-hidden" id="timeline-news" role="status"></p>
          <ol class="timeline" id="timeline" aria-labelledby="timeline-title"></ol>
        </section>
      `,
  },
  dialogs: html`
    <dialog class="modal" id="doctor" aria-labelledby="doctor-title">
      <div class="dialog-body">
        <h2 id="doctor-title">Doctor</h2>
        <p class="field-hint">What <code>tallyhook doctor</code> finds in this sandbox.</p>
        <ul class="findings" id="findings" aria-live="polite"></ul>
        <div class="modal-buttons">
          <button type="button" class="button primary" id="doctor-close">Close</button>
        </div>
      </div>
    </dialog>`,
  languages: {
    ofMember: 'Replies to this member are in this language.',
    ofGuild: 'Announcements are in this language.',
  },
  script: {
    source: () => new URL('./browser/main.ts', import.meta.url),
    built: () => new URL('./public/sandbox.js', import.meta.url),
  },
  files: () =>
    ['service.css', 'deliveries.css', 'tours.css', 'sandbox.svg'].map(
      (name) => new URL(`./public/${name}`, import.meta.url),
    ),
} satisfies PageFace;
