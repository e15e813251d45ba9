// Makes the page livelier; everything works without it. All HTML comes escaped from the service.
"use strict";

const box = document.querySelector("form.box");
const field = document.getElementById("q");
let stream = null;

function part(name) {
  let found = document.getElementById(name);
  if (!found) {
    found = document.createElement("div");
    found.id = name;
    document.getElementById("main").append(found);
  }
  if (name === "status") found.setAttribute("role", "status");
  return found;
}

function wanted() {
  const query = new URLSearchParams(new FormData(box));
  for (const [name, value] of [...query]) if (!value) query.delete(name, value);
  return query;
}

function search(event) {
  const query = wanted();
  if (box.dataset.mode !== "search" || !query.get("q") || !window.EventSource) return;
  event.preventDefault();
  if (stream) stream.close();
  document.body.classList.add("searching");
  document.title = `${query.get("q")} — encyclopedia`;
  history.pushState(null, "", `/search?${query}`);
  for (const name of ["status", "sources", "results"]) part(name).replaceChildren();
  let begun = false;
  stream = new EventSource(`/search/stream?${query}`);
  for (const name of ["status", "sources", "results"]) {
    stream.addEventListener(name, (told) => {
      begun = true;
      part(name).innerHTML = told.data;
    });
  }
  stream.addEventListener("end", () => stream.close());
  stream.onerror = () => {
    stream.close();
    if (!begun) location.assign(`/search?${query}`); // the page of the service says what is wrong
  };
}

function results() {
  return [...document.querySelectorAll(".result")];
}

function move(step) {
  const all = results();
  const at = all.indexOf(document.activeElement && document.activeElement.closest(".result"));
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  if (next) {
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
}

const keys = {
  "/": () => { field.focus(); field.select(); },
  j: () => move(1),
  k: () => move(-1),
  o: () => document.activeElement.closest(".result")?.querySelector("h2 a")?.click(),
  w: () => {
    const why = document.activeElement.closest(".result")?.querySelector("details.why");
    if (why) why.open = !why.open;
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const writing = event.target.closest("input, select, textarea");
  if (writing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Enter" && event.target.classList.contains("result")) keys.o();
  else if (keys[event.key] && (field || event.key !== "/")) {
    event.preventDefault();
    keys[event.key]();
  }
});

let asking = 0;
async function complete() {
  const text = field.value.trim();
  if (text.length < 2) return;
  const answer = await fetch(`/autocompleter?q=${encodeURIComponent(text)}`, { headers: { "X-Requested-With": "XMLHttpRequest" } });
  if (!answer.ok || field.value.trim() !== text) return;
  document.getElementById("said").replaceChildren(
    ...(await answer.json()).map((said) => Object.assign(document.createElement("option"), { value: said })),
  );
}

if (box) {
  box.addEventListener("submit", search);
  field.addEventListener("input", () => {
    clearTimeout(asking);
    asking = setTimeout(complete, 150);
  });
  window.addEventListener("popstate", () => location.reload());
}
