// Verifies what was posted, with the library of Standard Webhooks. The posts come as JSON on
// standard input; what was changed on the way must be refused.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const posts = JSON.parse(readFileSync(0, "utf8"));
const webhook = new Webhook(process.env.LIBRARY_WEBHOOK_SECRET);
for (const { headers, body } of posts) {
  const event = webhook.verify(body, headers);
  if (!event.type || !event.data.book.identifier) throw new Error(`verified, but it is ${body}`);
  let refused = false;
  try {
    webhook.verify(body.replace("book", "bock"), headers);
  } catch {
    refused = true;
  }
  if (!refused) throw new Error("a changed body was taken");
}
console.log(`verified ${posts.length}`);
