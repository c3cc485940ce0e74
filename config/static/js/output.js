/* The output of a run as it comes. Everything that a command printed is set as text, never as HTML.
 *
 * The server sent the last part; the stream goes on after data-last. A part of the stream that was seen is not shown
 * again. Only so much stays in the page: what was dropped at the top can be loaded again.
 */
(() => {
  "use strict";

  const output = document.getElementById("output");
  if (!output) return;
  const byId = (id) => document.getElementById(id);
  const follow = byId("output-follow");
  const wrap = byId("output-wrap");
  const search = byId("output-search");
  const earlier = byId("output-earlier");
  const MOST_CHARS = 1024 * 1024;
  const NOTE_LOOKS = { confirmed: "good", violated: "bad", error: "bad" };
  let first = Number(output.dataset.first);
  let last = Number(output.dataset.last);
  let characters = output.textContent.length;
  let waitMs = 1000;

  // --- Showing entries ---

  function seconds(ms) {
    return ms < 10000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000) ? `${Math.floor(ms / 60000)} min ` : ""}${Math.floor(ms / 1000) % 60} s`;
  }

  function finished({ status, exitCode, durationMs, error }) {
    return [status, exitCode === undefined || exitCode === null ? "" : `exit ${exitCode}`, durationMs === undefined ? "" : seconds(durationMs), error ?? ""].filter(Boolean).join(", ");
  }

  const NOTES = {
    "command.started": (data) => `$ ${data.command}`,
    "command.finished": finished,
    status: (data) => data.status,
    ended: (data) => `ended: ${data.status}`,
    output: (data) => `What follows is not stored: a run keeps ${size(data.omittedAfterBytes ?? 0)} of output.`,
  };

  function elementOf(entry) {
    const element = document.createElement("span");
    element.dataset.sequence = entry.sequence;
    if (entry.text !== undefined) {
      element.textContent = entry.text;
      return element;
    }
    const words = NOTES[entry.kind]?.(entry.data ?? {});
    if (words === undefined) return null;
    element.className = `output-note output-note-${NOTE_LOOKS[entry.data?.status] ?? "plain"}`;
    element.textContent = words;
    return element;
  }

  function size(bytes) {
    const units = ["B", "KiB", "MiB", "GiB"];
    let value = bytes;
    while (value >= 1024 && units.length > 1) {
      value /= 1024;
      units.shift();
    }
    return units[0] === "B" ? `${bytes} B` : `${value.toFixed(1)} ${units[0]}`;
  }

  function showProgress(entry) {
    const { commandIndex, commandCount, outputBytes, elapsedMs } = entry.data ?? {};
    if (commandIndex === undefined || commandCount === undefined) return;
    byId("run-command").textContent = `command ${commandIndex} of ${commandCount}`;
    byId("run-bytes").textContent = `${size(outputBytes)} of output`;
    byId("run-elapsed").textContent = `${seconds(elapsedMs)} so far`;
    byId("run-progress").max = commandCount;
    byId("run-progress").value = commandIndex - 1;
  }

  function append(entry) {
    const element = elementOf(entry);
    if (!element) return;
    output.append(element);
    characters += element.textContent.length;
    if (first === 0) first = entry.sequence;
  }

  function dropOld() {
    if (!follow.checked) return;
    while (characters > MOST_CHARS && output.childElementCount > 1) {
      characters -= output.firstElementChild.textContent.length;
      output.firstElementChild.remove();
      first = Number(output.firstElementChild.dataset.sequence);
      earlier.hidden = false;
    }
  }

  let isDrawing = false;
  function settle() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      dropOld();
      if (follow.checked) output.scrollTop = output.scrollHeight;
      showPlace();
    });
  }

  function showPlace() {
    const all = Math.max(output.scrollHeight - output.clientHeight, 1);
    const share = Math.round((Math.min(output.scrollTop, all) / all) * 100);
    byId("output-place").textContent = `${size(characters)} shown, at ${output.scrollHeight <= output.clientHeight ? 100 : share} %`;
  }

  // --- The stream ---

  function showState(state) {
    const element = byId("output-state");
    if (!element) return;
    element.dataset.liveState = state;
    element.textContent = state;
  }

  function take(entry) {
    if (entry.sequence <= last) return;
    last = entry.sequence;
    showProgress(entry);
    append(entry);
    settle();
  }

  function connect() {
    // A source that the browser reopens sends the id of the last event; one that we open names it itself.
    const source = new EventSource(`${output.dataset.stream}?after=${last}`);
    source.addEventListener("open", () => {
      waitMs = 1000;
      showState("live");
    });
    source.addEventListener("message", (event) => take(JSON.parse(event.data)));
    source.addEventListener("end", () => {
      source.close();
      showState("ended");
      document.body.dispatchEvent(new CustomEvent("changed"));
    });
    source.addEventListener("error", () => {
      if (byId("output-state")?.dataset.liveState === "ended") return;
      showState("reconnecting");
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, 30000);
    });
    window.addEventListener("pagehide", () => source.close(), { once: true });
  }

  // --- Reading: follow, wrap, earlier, search ---

  output.addEventListener("scroll", () => {
    const isAtEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 24;
    // Whoever scrolls up wants to read; whoever comes back to the end wants to follow.
    follow.checked = isAtEnd;
    showPlace();
  });
  follow.addEventListener("change", () => {
    if (follow.checked) output.scrollTop = output.scrollHeight;
  });
  wrap.addEventListener("change", () => output.classList.toggle("output-wrap", wrap.checked));

  earlier.addEventListener("click", async (event) => {
    event.preventDefault();
    const answer = await fetch(`${output.dataset.window}?before=${first}`);
    if (!answer.ok) return location.assign(earlier.href);
    const found = await answer.json();
    const height = output.scrollHeight;
    const elements = found.entries.map(elementOf).filter(Boolean);
    follow.checked = false;
    output.prepend(...elements);
    for (const element of elements) characters += element.textContent.length;
    first = found.first || first;
    earlier.hidden = !found.isMore;
    output.scrollTop = output.scrollHeight - height;
    showPlace();
  });

  let hits = [];
  let here = -1;
  function find() {
    const wanted = search.value.toLowerCase();
    hits = [];
    here = -1;
    const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
    while (wanted && walker.nextNode() && hits.length < 5000) {
      const text = walker.currentNode.data.toLowerCase();
      for (let at = text.indexOf(wanted); at >= 0 && hits.length < 5000; at = text.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, Math.min(at + wanted.length, walker.currentNode.length));
        hits.push(range);
      }
    }
    window.CSS?.highlights?.set("found", new Highlight(...hits));
    byId("output-found").textContent = wanted ? `${hits.length} found` : "";
    if (hits.length) step();
  }
  function step() {
    if (hits.length === 0) return;
    here = (here + 1) % hits.length;
    window.CSS?.highlights?.set("found-here", new Highlight(hits[here]));
    const place = hits[here].getBoundingClientRect();
    follow.checked = false;
    output.scrollTop += place.top - output.getBoundingClientRect().top - output.clientHeight / 2;
    byId("output-found").textContent = `${here + 1} of ${hits.length}`;
  }
  let typing = null;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(find, 150);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") step();
  });
  byId("output-next").addEventListener("click", step);

  byId("output-bar").hidden = false;
  if (output.dataset.stream) {
    output.scrollTop = output.scrollHeight;
    connect();
  }
  settle();
})();
