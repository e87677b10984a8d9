/** Use of the types that openapi-typescript has generated, with openapi-fetch. */
import { writeFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const { PLATEN_URL, PLATEN_KEY, TARGET } = process.env as Record<string, string>;
const access = { baseUrl: PLATEN_URL, headers: { authorization: `Bearer ${PLATEN_KEY}` } };
// Of answers that have several media types, these.
const client = createClient<paths, "application/json" | "application/problem+json">(access);
const html = "<!doctype html><html lang='en'><title>A page</title><h1>Hello";

/** Return the data of an answer, or fail with its problem. */
function taken<T>({ data, error }: { data?: T; error?: components["schemas"]["ProblemDetails"] }): T {
  if (error !== undefined || data === undefined) throw new Error(error?.code ?? "no data");
  return data;
}

const file = await client.POST("/v1/pdf/from-html", {
  body: { html, delivery: "binary" as const },
  parseAs: "arrayBuffer",
});
const pdf = new Uint8Array(taken(file));
writeFileSync(TARGET, pdf);

const render = taken(await client.POST("/v1/renders", { body: { input: { type: "html", html } } }));

const template = taken(
  await client.POST("/v1/templates", { body: { name: "Letter", html: "<h1>Dear {{ name }}" } }),
);
const path = { id: template.id };
const version = taken(await client.POST("/v1/templates/{id}/publish", { params: { path } }));
const letter = taken(
  await client.POST("/v1/renders", {
    body: { input: { type: "template", template_id: template.id }, data: { name: "Ada" } },
  }),
);

const upload = new FormData();
upload.set("file", new Blob([pdf], { type: "application/pdf" }), "a.pdf");
const uploaded = taken(
  // The generated type of a file is `string`, so the form is made here.
  await client.POST("/v1/uploads", { body: { file: "" }, bodySerializer: () => upload }),
);
const announced = taken(
  await client.POST("/v1/uploads", {
    body: { filename: "b.pdf", content_type: "application/pdf", bytes: pdf.length },
  }),
);
if (!("upload" in announced)) throw new Error("an announced upload has a form");
const form = new FormData();
for (const [name, value] of Object.entries(announced.upload.fields)) form.set(name, value);
form.set("file", new Blob([pdf]));
const sent = await fetch(announced.upload.url, { method: "POST", body: form });
if (!sent.ok) throw new Error(await sent.text());
const merged = taken(
  await client.POST("/v1/pdf-tools/merge", {
    body: { sources: [{ upload_id: uploaded.id }, { upload_id: announced.id }] },
  }),
);

const items = ["Ada", "Bea", "Cy"].map((name) => ({ data: { name } }));
let batch = taken(
  await client.POST("/v1/batches", { body: { template_id: template.id, items } }),
);
while (batch.status === "queued" || batch.status === "processing") {
  await new Promise((resume) => setTimeout(resume, 200));
  batch = taken(await client.GET("/v1/batches/{id}", { params: { path: { id: batch.id } } }));
}
const listed = taken(
  await client.GET("/v1/batches/{id}/items", { params: { path: { id: batch.id } } }),
);

const missing = await client.GET("/v1/renders/{id}", { params: { path: { id: "rnd_unknown" } } });

console.log(
  JSON.stringify({
    render: render.status,
    version: version.number,
    letter: letter.status,
    merged_pages: merged.pages,
    items: listed.data.map((item) => item.status),
    problem: missing.error?.code,
  }),
);
