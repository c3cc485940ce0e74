/* One press, one effect: a form that was sent cannot be sent again before its answer is here. */
(() => {
  "use strict";

  function setDisabled(form, disabled) {
    for (const button of form.querySelectorAll("button[type=submit], button:not([type])")) button.disabled = disabled;
    form.toggleAttribute("aria-busy", disabled);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (form.hasAttribute("data-sent")) {
      event.preventDefault();
      return;
    }
    form.setAttribute("data-sent", "");
    // After the browser has read the form: a disabled button would not be sent.
    setTimeout(() => setDisabled(form, true));
  });

  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      form.removeAttribute("data-sent");
      setDisabled(form, false);
    }
  });

  // A refused form comes back with its first wrong control in focus.
  document.querySelector(".field-invalid input, .field-invalid textarea, .field-invalid select")?.focus();

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copy)?.textContent ?? "";
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
})();
