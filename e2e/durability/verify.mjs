// Checks deliveries with the library of the Standard Webhooks specification. Each line of the input is one delivery as JSON:
// its secret, its headers and its body. The output has the number of those that are genuine, and what is wrong with others.
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

let genuine = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  try {
    new Webhook(secret).verify(body, headers);
    genuine++;
  } catch (error) {
    console.log(`${headers["webhook-id"]}: ${error}`);
  }
}
console.log(`genuine: ${genuine}`);
