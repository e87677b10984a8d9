// Search of the guides: an index of all sections, loaded when the field first gets the focus.

import MiniSearch from "./minisearch.js";

const MAX_RESULTS = 20;
const MAX_EXCERPT_CHARS = 140;
const SITE = new URL("../", import.meta.url);

const search = document.querySelector("#search");
const found = document.querySelector("#found");
const menu = document.querySelector("#pages");
let loading;

async function load() {
  const answer = await fetch(new URL("assets/search.json", SITE));
  if (!answer.ok) throw new Error(`the index of the search: ${answer.status}`);
  const sections = await answer.json();
  const index = new MiniSearch({
    idField: "at",
    fields: ["title", "page", "text"],
    // The beginning of a page has the page's title alone.
    extractField: (section, name) =>
      name === "title" ? section.heading || section.page : section[name],
    storeFields: ["page", "heading", "text"],
    // Names of fields and headers stay whole, and are found by their parts too.
    processTerm: (term) => {
      const lower = term.toLowerCase();
      const parts = lower.split(/[_.\-/]+/).filter(Boolean);
      return parts.length > 1 ? [lower, ...parts] : parts;
    },
    tokenize: (text) => text.split(/[^\p{L}\p{N}_.\-/]+/u).filter(Boolean),
    searchOptions: {
      boost: { title: 5, page: 1.5 },
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: "AND",
    },
  });
  index.addAll(sections);
  return index;
}

function excerptOf(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const place = places.length ? Math.min(...places) : 0;
  const middle = Math.max(0, place - Math.round(MAX_EXCERPT_CHARS / 3));
  const start = middle ? text.lastIndexOf(" ", middle) + 1 : 0;
  const end = text.indexOf(" ", start + MAX_EXCERPT_CHARS);
  return `${start ? "… " : ""}${end < 0 ? text.slice(start) : `${text.slice(start, end)} …`}`;
}

function rowOf(result) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  const excerpt = document.createElement("small");
  link.href = new URL(result.id, SITE);
  excerpt.textContent = excerptOf(result.text, result.terms);
  link.append(result.heading ? `${result.page}: ${result.heading}` : result.page, excerpt);
  entry.append(link);
  return entry;
}

function note(text) {
  const entry = document.createElement("li");
  entry.className = "group";
  entry.textContent = text;
  return entry;
}

async function show() {
  loading ??= load();
  let index;
  try {
    index = await loading;
  } catch (error) {
    loading = undefined;
    found.replaceChildren(note(`Search does not work: ${error.message}`));
    found.hidden = false;
    return;
  }
  const words = search.value.trim();
  const results = words ? index.search(words).slice(0, MAX_RESULTS) : [];
  found.replaceChildren(
    ...(results.length ? results.map(rowOf) : [note("No section has these words.")]),
  );
  found.hidden = !words;
}

search.addEventListener("focus", show);
search.addEventListener("input", show);
search.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await show();
  found.querySelector("a")?.click();
});
search.form.addEventListener("keydown", (event) => {
  const links = [search, ...found.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") found.hidden = true;
  if (!step || found.hidden) return;
  event.preventDefault();
  links[links.indexOf(document.activeElement) + step]?.focus();
});
document.addEventListener("click", (event) => {
  const isLink = event.target.closest("#found a");
  if (isLink || !event.target.closest(".finder")) found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea")) return;
  event.preventDefault();
  search.focus();
});
// The page in the list is seen, without a move of the page itself.
const here = menu.querySelector("[aria-current]");
if (here) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
