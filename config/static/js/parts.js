/* Parts of a page that refresh alone.
 *
 * A part is a <section id data-part>. The server sends all parts of a page in one answer; a part whose text did not
 * change is left alone, so that selection, focus and open details stay. A part with data-hold that the reader has
 * scrolled into is not pulled away: a button offers the newer one.
 * Enhancements (graph, trend) register here, and run for the first load and after each swap alike.
 */
(() => {
  "use strict";

  const enhancements = [];
  const sent = new Map();

  function enhance(selector, draw) {
    enhancements.push({ selector, draw });
    for (const element of document.querySelectorAll(selector)) draw(element);
  }

  function enhanceWithin(root) {
    for (const { selector, draw } of enhancements) {
      if (root.matches(selector)) draw(root);
      for (const element of root.querySelectorAll(selector)) draw(element);
    }
  }

  /** The part as the server sent it, without what differs in every answer. */
  function comparable(part) {
    const copy = part.cloneNode(true);
    copy.removeAttribute("hx-swap-oob");
    for (const hidden of copy.querySelectorAll("input[type=hidden]")) hidden.remove();
    for (const since of copy.querySelectorAll(".since")) since.remove();
    return copy.outerHTML;
  }

  function rememberAll() {
    for (const part of document.querySelectorAll("[data-part]")) sent.set(part.id, comparable(part));
  }

  function openIds(part) {
    return [...part.querySelectorAll("details[open][id]")].map((details) => details.id);
  }

  function isBeingRead(part) {
    return part.hasAttribute("data-hold") && part.getBoundingClientRect().top < -40;
  }

  function offer(part, newer) {
    document.getElementById(`${part.id}-newer`)?.remove();
    const button = document.createElement("button");
    button.type = "button";
    button.id = `${part.id}-newer`;
    button.className = "pill pill-newer";
    button.textContent = "There is something new. Show it";
    button.addEventListener("click", () => {
      button.remove();
      const current = document.getElementById(part.id);
      current.replaceWith(newer);
      htmx.process(newer);
      enhanceWithin(newer);
      newer.scrollIntoView({ block: "start" });
    });
    document.body.append(button);
  }

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const part = event.detail.target;
    const newer = event.detail.fragment.querySelector?.(`#${CSS.escape(part.id)}`) ?? event.detail.fragment.firstElementChild;
    if (!part.hasAttribute("data-part") || !newer) return;
    const text = comparable(newer);
    if (sent.get(part.id) === text) {
      event.detail.shouldSwap = false;
      return;
    }
    sent.set(part.id, text);
    for (const id of openIds(part)) newer.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    if (isBeingRead(part)) {
      event.detail.shouldSwap = false;
      offer(part, newer.cloneNode(true));
    }
  });

  document.addEventListener("htmx:oobAfterSwap", (event) => {
    const part = document.getElementById(event.detail.target.id);
    if (part) enhanceWithin(part);
  });

  rememberAll();
  window.Statehouse = { enhance };
})();
