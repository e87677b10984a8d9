// The reference: the OpenAPI document with samples of each operation, search, and the key.

import { samplesOf } from "./samples.js";

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);
const STORED_KEY = "platen-key";
const COLOURS = {
  light: ["#ffffff", "#1d2430", "#2f5bd0", "#f5f7fa", "#3c4554"],
  dark: ["#14181f", "#d7dce5", "#8fb0ff", "#1b212b", "#b8c0cd"],
};

const reference = document.querySelector("#reference");
const search = document.querySelector("#search");
const found = document.querySelector("#found");
const key = document.querySelector("#key");
const scheme = matchMedia("(prefers-color-scheme: dark)");

function paint() {
  const theme = scheme.matches ? "dark" : "light";
  const [paper, ink, accent, soft, dim] = COLOURS[theme];
  const attributes = {
    theme,
    "bg-color": paper,
    "text-color": ink,
    "primary-color": accent,
    "nav-bg-color": soft,
    "nav-text-color": dim,
    "nav-hover-bg-color": paper,
    "nav-hover-text-color": ink,
    "nav-accent-color": accent,
    "regular-font": 'system-ui, "Segoe UI", Inter, Helvetica, Arial, sans-serif',
    "mono-font": 'ui-monospace, Menlo, Consolas, "Liberation Mono", monospace',
  };
  for (const [name, value] of Object.entries(attributes)) {
    reference.setAttribute(name, value);
  }
}

function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

function answersOf(description) {
  const items = Object.values({ ...description.paths, ...description.webhooks });
  const operations = items.flatMap((methods) => Object.values(methods));
  const places = [description.components, ...operations];
  return places.flatMap((place) => [
    ...Object.values(place.responses ?? {}),
    ...(place.requestBody ? [place.requestBody] : []),
  ]);
}

// The codes in the texts of refusals lead to their pages.
function linkErrorCodes(answers, root) {
  for (const answer of answers.filter((each) => each.description)) {
    answer.description = answer.description.replaceAll(
      /^- `(\w+)`/gm,
      `- [\`$1\`](${root}/errors/$1)`,
    );
  }
}

// RapiDoc shows named examples only.
function nameExamples(answers) {
  const media = answers.flatMap((each) => Object.values(each.content ?? {}));
  for (const each of media.filter((one) => "example" in one)) {
    each.examples = { example: { summary: "Example", value: each.example } };
    delete each.example;
  }
}

// As RapiDoc names its elements.
function hashOf({ method, path }) {
  return `#${method}-${path.replaceAll(/[\s#:?&={}]/g, "-")}`;
}

function show(operations) {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = operations.filter(({ text }) => words.every((word) => text.includes(word)));
  let group = null;
  const rows = matching.flatMap((row) => {
    const entry = document.createElement("li");
    const link = document.createElement("a");
    const place = document.createElement("small");
    link.href = hashOf(row);
    place.textContent = `${row.method.toUpperCase()} ${row.path}`;
    link.append(row.operation.summary, place);
    entry.append(link);
    const [tag] = row.operation.tags ?? [""];
    if (tag === group) return [entry];
    group = tag;
    const heading = document.createElement("li");
    heading.className = "group";
    heading.textContent = tag;
    return [heading, entry];
  });
  if (!rows.length) {
    const nothing = document.createElement("li");
    nothing.className = "group";
    nothing.textContent = "No operation has these words.";
    rows.push(nothing);
  }
  found.replaceChildren(...rows);
  found.hidden = false;
}

function listenToSearch(operations) {
  search.addEventListener("input", () => show(operations));
  search.addEventListener("focus", () => show(operations));
  search.form.addEventListener("submit", (event) => {
    event.preventDefault();
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
  found.addEventListener("click", (event) => {
    if (event.target.closest("a")) found.hidden = true;
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".finder")) found.hidden = true;
  });
}

// The component adds the key to the requests of try-it, and sends them to the API alone.
function applyKey() {
  const value = key.value.trim();
  if (value) {
    sessionStorage.setItem(STORED_KEY, value);
    reference.setApiKey("bearer", value);
  } else {
    sessionStorage.removeItem(STORED_KEY);
    reference.removeAllSecurityKeys();
  }
}

// `#createRender` leads where `#post-/v1/renders` does.
function followOperationId(operations) {
  const id = location.hash.slice(1);
  const row = operations.find(({ operation }) => operation.operationId === id);
  if (row) location.replace(hashOf(row));
}

async function load() {
  const answer = await fetch(reference.dataset.document);
  const description = await answer.json();
  const operations = operationsOf(description);
  for (const row of operations) {
    const { operation, path, method } = row;
    row.text = `${operation.operationId} ${method} ${path} ${operation.summary} ${
      operation.description ?? ""
    } ${operation.tags ?? ""}`.toLowerCase();
    operation["x-codeSamples"] = samplesOf(row, description);
  }
  const answers = answersOf(description);
  nameExamples(answers);
  linkErrorCodes(answers, new URL(reference.dataset.host).pathname.replace(/\/$/, ""));
  followOperationId(operations);
  addEventListener("hashchange", () => followOperationId(operations));
  listenToSearch(operations);
  reference.addEventListener("spec-loaded", () => {
    key.value = sessionStorage.getItem(STORED_KEY) ?? "";
    if (key.value) applyKey();
    key.addEventListener("change", applyKey);
    document.documentElement.dataset.state = reference.resolvedSpec.specLoadError ? "failed" : "ready";
  });
  // RapiDoc reads both versions alike, and resolves the references of 3.1 in 16 times the time.
  reference.loadSpec({ ...description, openapi: "3.0.3" });
}

paint();
scheme.addEventListener("change", paint);
document.querySelector("#elsewhere").hidden =
  location.origin === new URL(reference.dataset.host).origin;
customElements.whenDefined("rapi-doc").then(load);
