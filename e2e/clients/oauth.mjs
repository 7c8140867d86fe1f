// The client library oauth4webapi against every endpoint. It prints the address where a person is asked as a line, waits for
// the answer on its own port, and at last prints what it has found as a line of JSON.
// node oauth.mjs ORIGIN [CLIENT_ID_METADATA_URL]
import { createServer } from "node:http";
import * as oauth from "oauth4webapi";

const [origin, document] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true };
const found = {};

const resource = new URL(origin + "/mcp");
const described = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure));
const issuer = new URL(described.authorization_servers[0]);
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" }));
const alias = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oidc" }));
found.same = JSON.stringify(server) === JSON.stringify(alias);
found.documents = server.client_id_metadata_document_supported === true;

const listener = createServer();
await new Promise((done) => listener.listen(0, "127.0.0.1", done));
const redirect = `http://127.0.0.1:${listener.address().port}/callback`;
let done = () => {};
listener.on("request", (request, response) => {
  response.setHeader("Content-Type", "text/html");
  response.end("<!DOCTYPE html><html lang=en><title>Done</title><link rel=icon href='data:,'><p>You may close this window.");
  const said = new URL(request.url, redirect);
  if (said.pathname === "/callback") done(said);
});
const answered = () => new Promise((resolve) => (done = resolve));

let client;
if (document) {
  client = { client_id: document };
} else {
  const metadata = { client_name: "Panva", redirect_uris: ["http://127.0.0.1/callback"], token_endpoint_auth_method: "none", application_type: "native" };
  client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(server, metadata, insecure));
}
const authentication = oauth.None();

// ask sends the person to the consent page, and has what they answer.
async function ask(scope) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  const params = { client_id: client.client_id, redirect_uri: redirect, response_type: "code", scope, state, resource: resource.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const back = answered();
  console.log(url.href);
  return { verifier, answer: oauth.validateAuthResponse(server, client, await back, state) }; // state, iss and errors are checked
}

try {
  await ask("read");
  found.refused = "";
} catch (error) {
  found.refused = error.error;
}
const { verifier, answer } = await ask("read write");
const redeem = () => oauth.authorizationCodeGrantRequest(server, client, authentication, answer, redirect, verifier, { ...insecure, additionalParameters: { resource: resource.href } });
const first = await oauth.processAuthorizationCodeResponse(server, client, await redeem());
found.scope = first.scope;
const renew = async (token) => oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure));
const second = await renew(first.refresh_token);
const again = await renew(first.refresh_token);
found.successor = second.refresh_token === again.refresh_token && second.refresh_token !== first.refresh_token;

// The resource's own side: the library checks the token by what we publish of our keys (RFC 9068).
const bearing = new Request(resource, { headers: { Authorization: `Bearer ${second.access_token}` } });
const claims = await oauth.validateJwtAccessToken(server, bearing, resource.href, insecure);
found.claims = [claims.client_id === client.client_id, claims.scope, claims.iss === issuer.origin].join(" ");

const page = await oauth.protectedResourceRequest(second.access_token, "GET", new URL(origin + "/whoami"), new Headers({ Accept: "text/markdown" }), null, insecure);
found.page = (await page.text()).split("\n").find((line) => line.startsWith("as: "));

const revoke = await oauth.revocationRequest(server, client, authentication, second.refresh_token, insecure);
await oauth.processRevocationResponse(revoke);
try {
  await renew(second.refresh_token);
} catch (error) {
  found.revoked = error.error;
}
try {
  await oauth.protectedResourceRequest(second.access_token, "GET", new URL(origin + "/whoami"), new Headers({ Accept: "text/markdown" }), null, insecure).then((r) => (found.after = r.status));
} catch (error) {
  found.after = error.status;
  found.challenge = error.cause?.[0]?.parameters?.error;
}
try {
  await oauth.processAuthorizationCodeResponse(server, client, await redeem());
} catch (error) {
  found.replayed = error.error;
}
listener.close();
console.log(JSON.stringify(found));
process.exit(0);
