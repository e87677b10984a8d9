import { API_URL } from '../api/client.ts';

type Call = { method: 'GET' | 'POST'; path: string; body?: object; target?: string };

/** Programs that make a call of the API; the key stands in the variable PLATEN_KEY. */
export function programsOf({ method, path, body, target }: Call) {
  const url = `${API_URL}${path}`;
  const json = body === undefined ? '' : JSON.stringify(body, null, 2);
  return {
    curl: curl(method, url, json, target),
    python: python(method, url, body, target),
    typescript: typescript(method, url, json, target),
  };
}

function curl(method: string, url: string, json: string, target: string | undefined): string {
  const out = target === undefined ? '' : ` -o ${target}`;
  const head = `curl -sSL --fail-with-body '${url}' -H "Authorization: Bearer $PLATEN_KEY"`;
  if (method === 'GET') return `${head}${out}\n`;
  return `${head} \\\n  -H "Content-Type: application/json"${out} --data-binary @- <<'JSON'\n${json}\nJSON\n`;
}

function python(method: string, url: string, body: object | undefined, target: string | undefined): string {
  const end = target === undefined
    ? 'print(answer.json())'
    : `with open(${JSON.stringify(target)}, "wb") as file:\n    file.write(answer.content)`;
  const sent = body === undefined ? '' : `\n    json=${pythonLiteral(body, 4)},`;
  return `import os

import requests

answer = requests.${method.toLowerCase()}(
    ${JSON.stringify(url)},
    headers={"Authorization": f"Bearer {os.environ['PLATEN_KEY']}"},${sent}
    timeout=60,
)
answer.raise_for_status()
${end}
`;
}

function typescript(method: string, url: string, json: string, target: string | undefined): string {
  const sent = json === '' ? '' : `\n  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),`;
  const kind = json === '' ? '' : '\n    "Content-Type": "application/json",';
  const head = target === undefined ? '' : 'import { writeFile } from "node:fs/promises";\n\n';
  const end = target === undefined
    ? 'console.log(await answer.json());'
    : `await writeFile(${JSON.stringify(target)}, Buffer.from(await answer.arrayBuffer()));`;
  return `${head}const answer = await fetch(${JSON.stringify(url)}, {
  method: "${method}",
  headers: {
    Authorization: \`Bearer \${process.env.PLATEN_KEY}\`,${kind}
  },${sent}
});
if (!answer.ok) throw new Error(await answer.text());
${end}
`;
}

/** A value of JSON as Python writes it; strings of JSON are strings of Python. */
function pythonLiteral(value: unknown, indent: number): string {
  const pad = ' '.repeat(indent);
  const inner = ' '.repeat(indent + 4);
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((each) => `${inner}${pythonLiteral(each, indent + 4)},\n`).join('')}${pad}]`;
  }
  const rows = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(each, indent + 4)},\n`);
  return rows.length === 0 ? '{}' : `{\n${rows.join('')}${pad}}`;
}
