// Driver of the Node code of docs/clients.md: `driver.mjs FILE`, a delivery on each line.
import { readFileSync } from "node:fs";

const { verify } = await import(`./${process.argv[2]}`);
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [secret, id, timestamp, signature, body] = line.split("\t");
  const named = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  const headers = Object.fromEntries(Object.entries(named).filter(([, value]) => value));
  let event = null;
  try {
    event = verify(secret, headers, Buffer.from(body, "base64"));
  } catch {
    event = null;
  }
  console.log(event?.id === id ? "accepted" : "refused");
}
