/* Keeps a page right without a reload: listens for "changed" and asks htmx to fetch the parts again.
 *
 * <body data-live="address"> names the stream. [data-live-state] elements show live, reconnecting or ended.
 * What happened while the connection was away is fetched as soon as it is back.
 */
(() => {
  "use strict";

  const address = document.body.dataset.live;
  if (!address) return;

  const SETTLE_MS = 150;
  const WORDS = { live: "live", reconnecting: "reconnecting", ended: "ended" };
  let waitMs = 1000;
  let timer = null;
  let source = null;

  function show(state) {
    for (const element of document.querySelectorAll("[data-live-page]")) {
      element.dataset.liveState = state;
      element.textContent = WORDS[state];
    }
  }

  function announce() {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      document.body.dispatchEvent(new CustomEvent("changed"));
    }, SETTLE_MS);
  }

  function connect() {
    source = new EventSource(address);
    source.addEventListener("open", () => {
      waitMs = 1000;
      show("live");
      announce();
    });
    source.addEventListener("changed", announce);
    source.addEventListener("error", () => {
      show("reconnecting");
      if (source.readyState !== EventSource.CLOSED) return;
      // The browser gave up (the answer was no stream): try again, less and less often.
      setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, 30000);
    });
  }

  document.addEventListener("htmx:sendError", () => show("reconnecting"));
  window.addEventListener("pagehide", () => source?.close());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) connect();
  });
  // What changes by the mere passing of time (a worker that falls silent) is looked at now and then.
  const refreshSeconds = Number(document.body.dataset.refreshSeconds ?? 0);
  if (refreshSeconds > 0) setInterval(announce, refreshSeconds * 1000);
  connect();
})();
