/** Use of the client that @hey-api/openapi-ts has generated in the folder `client`. */
import { writeFileSync } from "node:fs";
import { client } from "./client/client.gen.js";
import { formDataBodySerializer } from "./client/client/index.js";
import {
  createBatch,
  createPdfFromHtml,
  createRender,
  createTemplate,
  createUpload,
  listBatchItems,
  mergePdfs,
  publishTemplateVersion,
  retrieveBatch,
  retrieveRender,
  type UploadRequest,
} from "./client/index.js";

const { PLATEN_URL, PLATEN_KEY, TARGET } = process.env as Record<string, string>;
client.setConfig({ baseUrl: PLATEN_URL, auth: PLATEN_KEY });
const throwOnError = true;
const html = "<!doctype html><html lang='en'><title>A page</title><h1>Hello";

const { data: file } = await createPdfFromHtml({
  throwOnError,
  parseAs: "arrayBuffer",
  body: { html, delivery: "binary" },
});
// The generator types an answer by its JSON alone.
const pdf = new Uint8Array(file as unknown as ArrayBuffer);
writeFileSync(TARGET, pdf);

const { data: render } = await createRender({
  throwOnError,
  body: { input: { type: "html", html } },
});

const { data: template } = await createTemplate({
  throwOnError,
  body: { name: "Letter", html: "<h1>Dear {{ name }}" },
});
const { data: version } = await publishTemplateVersion({ throwOnError, path: { id: template.id } });
const { data: letter } = await createRender({
  throwOnError,
  body: { input: { type: "template", template_id: template.id }, data: { name: "Ada" } },
});

const { data: uploaded } = await createUpload({
  throwOnError,
  ...formDataBodySerializer,
  headers: { "Content-Type": null },
  // The generator types a body by its JSON alone.
  body: { file: new File([pdf], "a.pdf", { type: "application/pdf" }) } as unknown as UploadRequest,
});
const { data: announced } = await createUpload({
  throwOnError,
  body: { filename: "b.pdf", content_type: "application/pdf", bytes: pdf.length },
});
if (!("upload" in announced)) throw new Error("an announced upload has a form");
const form = new FormData();
for (const [name, value] of Object.entries(announced.upload.fields)) form.set(name, value);
form.set("file", new Blob([pdf]));
const sent = await fetch(announced.upload.url, { method: "POST", body: form });
if (!sent.ok) throw new Error(await sent.text());
const { data: merged } = await mergePdfs({
  throwOnError,
  body: { sources: [{ upload_id: uploaded.id }, { upload_id: announced.id }] },
});

const items = ["Ada", "Bea", "Cy"].map((name) => ({ data: { name } }));
let { data: batch } = await createBatch({ throwOnError, body: { template_id: template.id, items } });
while (batch.status === "queued" || batch.status === "processing") {
  await new Promise((resume) => setTimeout(resume, 200));
  ({ data: batch } = await retrieveBatch({ throwOnError, path: { id: batch.id } }));
}
const { data: listed } = await listBatchItems({ throwOnError, path: { id: batch.id } });

const { error } = await retrieveRender({ path: { id: "rnd_unknown" } });

console.log(
  JSON.stringify({
    render: render.status,
    version: version.number,
    letter: letter.status,
    merged_pages: merged.pages,
    items: listed.data.map((item) => item.status),
    problem: error?.code,
  }),
);
