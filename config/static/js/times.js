/* Says beside each exact time how long ago it was; <time datetime data-since>. */
(() => {
  "use strict";

  const STEPS = [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [2592000, 86400, "day"], [31536000, 2592000, "month"], [Infinity, 31536000, "year"]];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

  function relative(element) {
    const seconds = (new Date(element.dateTime).getTime() - Date.now()) / 1000;
    const [, unit, name] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
    return Math.abs(seconds) < 5 ? "just now" : words.format(Math.trunc(seconds / unit), name);
  }

  function refresh() {
    for (const element of document.querySelectorAll("time[data-since]")) {
      let beside = element.nextElementSibling;
      if (!beside?.classList.contains("since")) {
        beside = document.createElement("span");
        beside.className = "since soft";
        element.after(" ", beside);
      }
      const text = `(${relative(element)})`;
      if (beside.textContent !== text) beside.textContent = text;
    }
  }

  Statehouse.enhance("time[data-since]", () => queueMicrotask(refresh));
  setInterval(refresh, 10000);
})();
