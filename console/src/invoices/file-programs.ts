import { API_URL } from '../api/client.ts';

/** Programs that validate a file; the key stands in the variable PLATEN_KEY. */
export function validationPrograms(file: string, isPdf: boolean) {
  const url = `${API_URL}/einvoices/validate`;
  const type = isPdf ? 'application/pdf' : 'application/xml';
  return {
    curl: `curl -sSL --fail-with-body '${url}' -H "Authorization: Bearer $PLATEN_KEY" \\\n  -H "Content-Type: ${type}" --data-binary '@${file}'\n`,
    python: `import os

import requests

with open(${JSON.stringify(file)}, "rb") as file:
    answer = requests.post(
        ${JSON.stringify(url)},
        headers={
            "Authorization": f"Bearer {os.environ['PLATEN_KEY']}",
            "Content-Type": ${JSON.stringify(type)},
        },
        data=file,
        timeout=60,
    )
answer.raise_for_status()
print(answer.json())
`,
    typescript: `import { readFile } from "node:fs/promises";

const answer = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.PLATEN_KEY}\`,
    "Content-Type": ${JSON.stringify(type)},
  },
  body: await readFile(${JSON.stringify(file)}),
});
if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.json());
`,
  };
}
