// Calls the service by types that openapi-typescript generated: client.js ADDRESS FOLDER [KEY NARROW_KEY]. The folder
// has a statement and what the commands print for it. check.py copies this file beside the types.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type Application = Schemas["Application"];
type Problem = Schemas["Problem"];

// What the document must say: a type that is open, or an object without fields, does not compile here.
type IsKnown<T> = unknown extends T ? false : T extends Record<string, never> ? false : true;
type Assert<T extends true> = T;
export type Known = [
  Assert<IsKnown<Schemas["Decision"]["offers"][number]["amountOffered"]>>,
  Assert<IsKnown<Schemas["Decision"]["offers"][number]["dueDates"]>>,
  Assert<IsKnown<Schemas["Decision"]["reasons"][number]["text"]>>,
  Assert<IsKnown<NonNullable<Schemas["Decision"]["points_lost"]>[number]["lost"]>>,
  Assert<IsKnown<Schemas["Explanation"]["requirements"][number]>>,
  Assert<IsKnown<Schemas["Explanation"]["records"][number]["credit"]>>,
  Assert<IsKnown<Schemas["Metrics"]["income"]>>,
  Assert<IsKnown<Schemas["PolicyList"]["policies"][number]["parameters"][number]["values"][number]["value"]>>,
  Assert<IsKnown<Schemas["Health"]["status"]>>,
  Assert<IsKnown<Application["statement"]>>,
  Assert<IsKnown<Application["request"]>>,
];
// @ts-expect-error: a problem has one of the codes that the document lists
export const wrong: Problem["code"] = "no-such-code";

const [address = "", folder = "", ...keys] = process.argv.slice(2);
const day = "2026-10-31";

const text = (name: string): string => readFileSync(join(folder, name), "utf8");
const say = (what: string, detail: string): void => console.log(`typescript: ${what}: ${detail}`);

// The body of the last answer as it came, to compare bytes.
let received = "";

function clientWith(key?: string): Client<paths> {
  return createClient<paths>({
    baseUrl: address,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    fetch: async (request) => {
      const response = await fetch(request);
      received = await response.clone().text();
      return response;
    },
  });
}

// The application in the way that the command gets it: the statement inline, without a name.
function application(more: Partial<Application> = {}): Application {
  return { statement: JSON.parse(text("people/statement-000001.json")), as_of: day, ...more };
}

// The same bytes as the command's, and the same fields in what the client hands over.
function compare<T>(what: string, data: T | undefined, expected: string): T {
  assert.equal(received, text(expected), `${what}: not the bytes that the command prints`);
  assert(data !== undefined, what);
  assert.deepEqual(data, typeof data === "string" ? received : JSON.parse(received), what);
  say(what, `${Buffer.byteLength(received)} bytes as the command prints them`);
  return data;
}

function compareProblem(what: string, problem: Problem | undefined, status: number, code: Problem["code"]): Problem {
  assert(problem !== undefined, what);
  assert.deepEqual([problem.status, problem.code], [status, code], what);
  assert(problem.title && problem.detail && problem.request_id, what);
  say(what, `refused with ${problem.status} ${problem.code}`);
  return problem;
}

async function decide(client: Client<paths>): Promise<void> {
  const first = await client.POST("/v1/decisions", { body: application() });
  const decision = compare("a decision", first.data, "decision.json");
  assert.equal(decision.outcome, "offer");
  assert.equal(first.response.headers.get("x-lendwright-policy"), decision.policy.digest);
  const offer = decision.offers[0];
  assert(offer !== undefined && offer.amountPayable > offer.amountOffered);

  const request: Record<string, unknown> = JSON.parse(text("request.json"));
  const second = await client.POST("/v1/decisions", { body: application({ request }) });
  assert.deepEqual(compare("a decision on a request", second.data, "decision-on-request.json").request, request);

  const third = await client.POST("/v1/decisions", {
    body: text("table/statements.csv"),
    bodySerializer: (body) => body,
    headers: { "content-type": "text/csv" },
    params: { query: { as_of: day, reference: "table/statements.csv" } },
  });
  compare("a decision on a CSV file", third.data, "decision-on-csv.json");
}

async function look(client: Client<paths>): Promise<void> {
  const explained = await client.POST("/v1/explanations", { body: application() });
  const explanation = compare("an explanation", explained.data, "explanation.json");
  assert.equal(explanation.requirements[0]?.state, "met");
  const measured = await client.POST("/v1/metrics", { body: application() });
  assert.equal(compare("metrics", measured.data, "metrics.json").as_of, day);
  const listed = await client.POST("/v1/records", { body: application(), parseAs: "text" });
  assert.equal(compare("records", listed.data, "records.ndjson").trimEnd().split("\n").length, 200);
}

async function lookAtService(client: Client<paths>): Promise<void> {
  const { data: health } = await client.GET("/v1/health");
  assert.equal(health?.status, "ok");
  say("health", health.status);
  const { data: listed } = await client.GET("/v1/policies");
  const policy = listed?.policies[0];
  assert(policy !== undefined && listed?.policies.length === 1);
  assert.equal(policy.digest, JSON.parse(text("decision.json")).policy.digest);
  const names = policy.inputs.map((input) => input.name);
  Object.keys(JSON.parse(text("request.json"))).forEach((name) => assert(names.includes(`request.${name}`), name));
  const parameters = policy.parameters.length;
  say("policies", `${policy.name} ${policy.version}, ${parameters} parameters, inputs ${names.join(", ")}`);
  const { data: counters } = await client.GET("/metrics", { parseAs: "text" });
  assert(counters !== undefined && counters.endsWith("# EOF\n"));
  say("counters", `${counters.split("\n").length - 1} lines`);
}

async function repeat(client: Client<paths>): Promise<void> {
  const params = { header: { "idempotency-key": "T-1" } };
  const first = await client.POST("/v1/decisions", { body: application(), params });
  const second = await client.POST("/v1/decisions", { body: application(), params });
  assert.equal(second.response.headers.get("idempotency-replayed"), "true");
  assert.deepEqual(first.data, second.data);
  const other = await client.POST("/v1/decisions", { body: application({ as_of: "2026-10-30" }), params });
  compareProblem("a key of another body", other.error, 409, "idempotency-key-reused");
}

async function sendBatch(client: Client<paths>): Promise<void> {
  const lines = [application(), { statement: { status: "failed" } }];
  const { data } = await client.POST("/v1/batches", {
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    bodySerializer: (body) => body,
    headers: { "content-type": "application/x-ndjson" },
    parseAs: "text",
  });
  const [decision = "", problem = ""] = (data ?? "").split("\n");
  assert.equal(`${decision}\n`, text("decision.json"));
  const refused: Problem = JSON.parse(problem);
  assert.deepEqual([refused.code, refused.line], ["statement-status", 2]);
  say("a batch", "a decision and the problem of line 2");
}

async function getRefused(client: Client<paths>): Promise<void> {
  const params = { header: { "x-request-id": "T-7" } };
  const first = await client.POST("/v1/decisions", { body: { statement: { status: "failed" } }, params });
  assert.equal(compareProblem("no statement", first.error, 422, "statement-status").request_id, "T-7");
  const second = await client.POST("/v1/decisions", { body: application({ request: { amount: "much" } }) });
  assert.equal(compareProblem("a wrong field", second.error, 400, "invalid-request").where, "request.amount");
}

async function getRefusedByKey(narrow: string): Promise<void> {
  const refusals: [string, string | undefined, number, Problem["code"]][] = [
    ["no key", undefined, 401, "key-missing"],
    ["an unknown key", "lw_00", 401, "key-unknown"],
    ["a key without the scope", narrow, 403, "key-scope"],
  ];
  for (const [what, key, status, code] of refusals) {
    const { error } = await clientWith(key).POST("/v1/decisions", { body: application() });
    compareProblem(what, error, status, code);
  }
}

const [key, narrow] = keys;
const client = clientWith(key);
if (narrow !== undefined) {
  await getRefusedByKey(narrow);
}
await decide(client);
await look(client);
await lookAtService(client);
await repeat(client);
await sendBatch(client);
await getRefused(client);
