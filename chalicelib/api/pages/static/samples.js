// Samples of a request in seven languages, from the examples of the OpenAPI document.

const EXTENSIONS = {
  "application/pdf": "pdf",
  "application/xml": "xml",
  "application/zip": "zip",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "text/html": "html",
  "text/plain": "txt",
};
const JSON_TYPE = "application/json";
const MAX_DEPTH = 8;

/** Return the samples as `x-codeSamples` has them; highlighting knows no PHP and no TypeScript. */
export function samplesOf(row, description) {
  const request = requestOf(row, description);
  return [
    { lang: "bash", label: "curl", source: curl(request) },
    { lang: "python", label: "Python", source: python(request) },
    { lang: "javascript", label: "TypeScript", source: typescript(request) },
    { lang: "php", label: "PHP", source: php(request) },
    { lang: "java", label: "Java", source: java(request) },
    { lang: "go", label: "Go", source: go(request) },
    { lang: "csharp", label: "C#", source: csharp(request) },
  ];
}

function requestOf({ method, path, operation }, description) {
  const resolve = resolver(description);
  const parameters = (operation.parameters ?? []).map(resolve);
  const given = (name) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name) ?? {};
    return encodeURIComponent(exampleOf(parameter, resolve, name.toUpperCase()));
  };
  const query = parameters
    .filter((each) => each.in === "query" && each.required)
    .map((each) => `${each.name}=${encodeURIComponent(exampleOf(each, resolve, "1"))}`);
  const media = resolve(operation.requestBody ?? {}).content?.[JSON_TYPE];
  const body = media && exampleOf(media, resolve);
  const host = description.servers[0].url;
  return {
    method: method.toUpperCase(),
    url: [host + path.replaceAll(/\{(\w+)\+?\}/g, (_, name) => given(name)), ...query.slice(0, 1)]
      .join("?")
      .concat(...query.slice(1).map((each) => `&${each}`)),
    hasKey: (operation.security ?? description.security ?? []).length > 0,
    body,
    json: media && JSON.stringify(body, null, 2),
    file: fileOf(operation, body, resolve),
  };
}

/** Return the name of the file that the answer is, or null if it is JSON or empty. */
function fileOf(operation, body, resolve) {
  const types = Object.keys(resolve(operation.responses["200"] ?? {}).content ?? {});
  const isFile = types.length > 0 && !types.includes(JSON_TYPE);
  if (!isFile && body?.delivery?.type !== "binary") return null;
  const type = types.find((each) => each !== JSON_TYPE);
  const format = body?.output?.format ?? body?.output?.formats?.[0] ?? EXTENSIONS[type] ?? "bin";
  return `document.${format}`;
}

function resolver(description) {
  return function resolve(value) {
    if (typeof value?.$ref !== "string") return value;
    const names = value.$ref.slice(2).split("/");
    const unescaped = names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    return resolve(unescaped.reduce((found, name) => found?.[name], description));
  };
}

/** Return the example of a parameter or a media type; without one, `otherwise` or a small value. */
function exampleOf(place, resolve, otherwise) {
  if ("example" in place) return place.example;
  const [first] = Object.values(place.examples ?? {});
  if (first) return resolve(first).value;
  return valueOf(place.schema ?? {}, resolve, otherwise, MAX_DEPTH);
}

function valueOf(unresolved, resolve, otherwise, depth) {
  const schema = resolve(unresolved) ?? {};
  const [stated] = [schema.examples?.[0], schema.example, schema.const, schema.default]
    .concat(schema.enum?.[0])
    .filter((value) => value !== undefined && value !== null);
  if (stated !== undefined) return stated;
  const branch = (schema.oneOf ?? schema.anyOf ?? []).find((each) => each.type !== "null");
  if (depth === 0) return null;
  if (branch) return valueOf(branch, resolve, otherwise, depth - 1);
  const next = (each) => valueOf(each, resolve, undefined, depth - 1);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, next(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return schema.minItems ? [next(schema.items ?? {})] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return otherwise ?? "…";
  }
}

const indented = (text, spaces) => text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
const lines = (...parts) => parts.flat().filter((part) => part !== null).join("\n");

function curl({ method, url, hasKey, json, file }) {
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const parts = [
    `curl -sS${file ? "L" : ""} --fail-with-body${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    hasKey ? '-H "Authorization: Bearer $PLATEN_API_KEY"' : null,
    json ? '-H "Content-Type: application/json"' : null,
    json ? `-d ${quoted(json)}` : null,
    file ? `-o ${file}` : null,
  ];
  return parts.filter(Boolean).join(" \\\n  ");
}

function pythonLiteral(value, depth = 1) {
  const pad = " ".repeat(4 * (depth + 1));
  const end = " ".repeat(4 * depth);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  const entries = Object.entries(value).map(([name, entry]) => {
    const literal = pythonLiteral(entry, depth + 1);
    return `${pad}${isList ? "" : `${JSON.stringify(name)}: `}${literal},\n`;
  });
  return entries.length ? `${open}\n${entries.join("")}${end}${close}` : open + close;
}

function python({ method, url, hasKey, body, json, file }) {
  return lines(
    hasKey ? "import os\n" : null,
    "import requests\n",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    hasKey ? `    headers={"Authorization": f"Bearer {os.environ['PLATEN_API_KEY']}"},` : null,
    json ? `    json=${pythonLiteral(body)},` : null,
    "    timeout=60,",
    ")",
    "response.raise_for_status()",
    file
      ? [`with open(${JSON.stringify(file)}, "wb") as file:`, "    file.write(response.content)"]
      : "print(response.text)",
  );
}

function typescript({ method, url, hasKey, json, file }) {
  const headers = [
    hasKey ? "    Authorization: `Bearer ${process.env.PLATEN_API_KEY}`," : null,
    json ? '    "Content-Type": "application/json",' : null,
  ].filter(Boolean);
  return lines(
    file ? 'import { writeFile } from "node:fs/promises";\n' : null,
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "${method}",`,
    headers.length ? ["  headers: {", headers, "  },"].flat() : null,
    json ? `  body: JSON.stringify(${indented(json, 2)}),` : null,
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    file
      ? `await writeFile(${JSON.stringify(file)}, new Uint8Array(await response.arrayBuffer()));`
      : "console.log(await response.text());",
  );
}

function php({ method, url, hasKey, json, file }) {
  const quoted = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
  const headers = [
    hasKey ? "        'Authorization: Bearer ' . getenv('PLATEN_API_KEY')," : null,
    json ? "        'Content-Type: application/json'," : null,
  ].filter(Boolean);
  return lines(
    "<?php",
    `$request = curl_init(${quoted(url)});`,
    "curl_setopt_array($request, [",
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    "    CURLOPT_RETURNTRANSFER => true,",
    file ? "    CURLOPT_FOLLOWLOCATION => true," : null,
    headers.length ? ["    CURLOPT_HTTPHEADER => [", headers, "    ],"].flat() : null,
    json ? `    CURLOPT_POSTFIELDS => <<<'JSON'\n${json}\nJSON,` : null,
    "]);",
    "$answer = curl_exec($request);",
    "if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) >= 400) {",
    "    throw new RuntimeException($answer);",
    "}",
    file ? `file_put_contents(${quoted(file)}, $answer);` : "echo $answer;",
  );
}

function java({ method, url, hasKey, json, file }) {
  const block = json?.replaceAll("\\", "\\\\").replaceAll('"""', String.raw`\"""`);
  const handler = file
    ? `HttpResponse.BodyHandlers.ofFile(Path.of(${JSON.stringify(file)}))`
    : "HttpResponse.BodyHandlers.ofString()";
  return lines(
    "import java.net.URI;",
    "import java.net.http.HttpClient;",
    "import java.net.http.HttpRequest;",
    "import java.net.http.HttpResponse;",
    file ? "import java.nio.file.Path;" : null,
    "\npublic class Main {",
    "    public static void main(String[] args) throws Exception {",
    `        var request = HttpRequest.newBuilder(URI.create(${JSON.stringify(url)}))`,
    hasKey
      ? '            .header("Authorization", "Bearer " + System.getenv("PLATEN_API_KEY"))'
      : null,
    json ? '            .header("Content-Type", "application/json")' : null,
    json
      ? `            .method("${method}", HttpRequest.BodyPublishers.ofString("""\n                ${indented(block, 16)}"""))`
      : `            .method("${method}", HttpRequest.BodyPublishers.noBody())`,
    "            .build();",
    "        var client = HttpClient.newBuilder()",
    "            .followRedirects(HttpClient.Redirect.NORMAL)",
    "            .build();",
    `        var response = client.send(request, ${handler});`,
    "        if (response.statusCode() >= 400) {",
    '            throw new RuntimeException("HTTP " + response.statusCode());',
    "        }",
    "        System.out.println(response.body());",
    "    }",
    "}",
  );
}

function go({ method, url, hasKey, json, file }) {
  const text = json?.replaceAll("`", '` + "`" + `');
  return lines(
    "package main\n",
    "import (",
    file ? null : '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    hasKey || file ? '\t"os"' : null,
    json ? '\t"strings"' : null,
    ")\n",
    "func main() {",
    json ? `\tbody := strings.NewReader(\`${text}\`)` : null,
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${json ? "body" : "nil"})`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    hasKey ? '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("PLATEN_API_KEY"))' : null,
    json ? '\trequest.Header.Set("Content-Type", "application/json")' : null,
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer response.Body.Close()",
    "\tanswer, err := io.ReadAll(response.Body)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tif response.StatusCode >= 400 {\n\t\tlog.Fatal(string(answer))\n\t}",
    file
      ? `\tif err := os.WriteFile(${JSON.stringify(file)}, answer, 0o644); err != nil {\n\t\tlog.Fatal(err)\n\t}`
      : "\tfmt.Println(string(answer))",
    "}",
  );
}

function csharp({ method, url, hasKey, json, file }) {
  const name = method[0] + method.slice(1).toLowerCase();
  return lines(
    hasKey ? "using System.Net.Http.Headers;" : null,
    json ? "using System.Text;" : null,
    hasKey || json ? "" : null,
    "using var client = new HttpClient();",
    `using var request = new HttpRequestMessage(HttpMethod.${name}, ${JSON.stringify(url)});`,
    hasKey
      ? [
          "request.Headers.Authorization = new AuthenticationHeaderValue(",
          '    "Bearer", Environment.GetEnvironmentVariable("PLATEN_API_KEY"));',
        ]
      : null,
    json
      ? [
          'request.Content = new StringContent("""',
          `    ${indented(json, 4)}`,
          '    """, Encoding.UTF8, "application/json");',
        ]
      : null,
    "using var response = await client.SendAsync(request);",
    "response.EnsureSuccessStatusCode();",
    file
      ? `await File.WriteAllBytesAsync(${JSON.stringify(file)}, await response.Content.ReadAsByteArrayAsync());`
      : "Console.WriteLine(await response.Content.ReadAsStringAsync());",
  );
}
