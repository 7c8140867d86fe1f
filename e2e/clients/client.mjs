// A client of the TypeScript SDK for the stories: it reads tool calls as lines of JSON and writes their answers so.
// node client.mjs v1|v2 URL TOKEN
import { createInterface } from "node:readline";

const [version, url, token] = process.argv.slice(2);
const info = { name: "story-" + version, version: "1.0.0" };
const requestInit = { headers: { Authorization: `Bearer ${token}` } };

async function connect() {
  if (version === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function answer(client, call) {
  try {
    const result = await client.callTool(call);
    if (result.content.length !== 1 || result.content[0].type !== "text" || result.structuredContent) {
      return { error: "not one block of text: " + JSON.stringify(result) };
    }
    return { text: result.content[0].text, failed: result.isError === true };
  } catch (error) {
    return { error: String(error) };
  }
}

const client = await connect();
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(client, JSON.parse(line))));
}
await client.close();
